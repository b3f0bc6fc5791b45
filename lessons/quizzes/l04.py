"""The quiz of lesson 04."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "The schema allows `cat` and `cats`, and nothing was written yet. Which text must come?",
        right=(
            "`cat`",
            "So far both agree. After `cat` the text may end or go on, and that is a choice.",
        ),
        wrong=(
            ("`cats`", "After `cat` the text may end. Writing the `s` takes that choice away."),
            ("`c`", "After `c` only `a` leads on, and after `ca` only `t`: the span is longer."),
            ("nothing", "Both words begin alike, so their common beginning must come."),
        ),
    ),
    Question(
        "After the start, a real vocabulary allows `{`, `{\"` and more. Is anything forced?",
        right=(
            "Yes: the text, though not how it is cut",
            "All these tokens are beginnings of one and the same text.",
        ),
        wrong=(
            (
                "No: several tokens are legal",
                "They spell the beginning of the same text. Counting legal tokens misses that.",
            ),
            (
                "Only if the model prefers one of them",
                "What is forced depends on grammar and text. The model is not asked.",
            ),
            (
                "Yes, and the longest legal token is always the right cut",
                "The tokenizer decides by its own merges; the longest token need not be its choice.",
            ),
        ),
    ),
    Question(
        "Which schema lets jump-forward skip the largest share of steps?",
        right=(
            "Ten objects one inside the other, with one number at the bottom",
            "Nine keys and all brackets are forced; only the number is chosen.",
        ),
        wrong=(
            (
                "One object with ten required numbers",
                "Its keys are forced too, but each brings a number that is chosen.",
            ),
            (
                "One object with ten optional numbers",
                "Here even the keys are choices, and so is the end of the object.",
            ),
            ("A string of at most 100 characters", "Inside a string nearly every token is a choice."),
        ),
    ),
    Question(
        "Why does one pass over 16 known tokens not take 16 times as long as one over a single token?",
        right=(
            "The weights are fetched from memory once for all of them",
            "Fetching is most of a decode step; the arithmetic for more tokens rides along.",
        ),
        wrong=(
            (
                "The model leaves out most of the 16",
                "It reads every one of them; their keys and values enter the cache.",
            ),
            (
                "Forced tokens need no attention",
                "Later tokens attend to them like to any others, so they must be read.",
            ),
            (
                "The mask makes the vocabulary smaller",
                "The mask plays no part in a pass; all logits are computed as ever.",
            ),
        ),
    ),
    Question(
        "Forced text ends in a space, and the model answers `York` where it would have said ` Orleans`. "
        "What happened?",
        right=(
            "The cut differs from the one it was trained on",
            "In training the space is part of the word's token. After a lone space the model is in "
            "a place that it hardly knows.",
        ),
        wrong=(
            (
                "The mask forbade the right answer",
                "Both answers are legal after either cut. Look at the shares: they were moved.",
            ),
            (
                "The cache was not cut",
                "Nothing was taken back here. The model read exactly what was written.",
            ),
            (
                "The random seed changed",
                "The runs were greedy. Chance plays no part in them.",
            ),
        ),
    ),
    Question(
        "A token at the end of a span is held back. What becomes of it?",
        right=(
            "The model writes it, together with what follows",
            "It is asked before that token, so it may take the longer one, such as ` Orleans`.",
        ),
        wrong=(
            (
                "It is left out of the text",
                "Its text must come. The mask sees to it: every legal token begins with it.",
            ),
            (
                "It is written once the run is over",
                "What follows stands after it, so it cannot be written later.",
            ),
            (
                "It is written with the next forced span",
                "A choice comes first, and the model makes that one.",
            ),
        ),
    ),
    Question(
        "Is a run without jump-forward, token by token under a mask, safe from odd cuts?",
        right=(
            "No: the mask allows every cut of the forced text",
            "A model that would like to say something else takes whatever legal token it likes "
            "best, for instance `a`, `ns`, `w`, `er`.",
        ),
        wrong=(
            (
                "Yes: the model always picks its own tokens",
                "Only if it would have written that text by itself. Look at the ten questions.",
            ),
            (
                "Yes: the mask allows canonical tokens only",
                "It allows every token whose bytes fit. Canonical or not is no matter of the grammar.",
            ),
            (
                "No, since the mask changes the ratios of legal tokens",
                "It does not: lesson 01. But which tokens are legal, it decides.",
            ),
        ),
    ),
    Question(
        "Why did SGLang, which invented jump-forward, remove it?",
        right=(
            "To make maintenance simpler, as its pull request says",
            "Answers that changed had been reported before, but that is not the reason given.",
        ),
        wrong=(
            (
                "It made generation slower",
                "The reports said the opposite: lower latency and higher throughput.",
            ),
            (
                "It let invalid output through",
                "Forced text is valid by its nature. What suffered was what came after it.",
            ),
            (
                "Its inventors moved on to another schema language",
                "Schemas have nothing to do with it, and no such reason was given.",
            ),
        ),
    ),
]
