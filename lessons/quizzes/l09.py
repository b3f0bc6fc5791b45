"""Quiz of lesson 09."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "A logits processor is called with 41 tokens, 40 of which are the prompt. What does its "
        "matcher read?",
        right=(
            "The last token only", "It is the first token of the answer. The prompt is not in the grammar."
        ),
        wrong=(
            ("All 41", "The prompt is no JSON. The matcher would refuse its first token."),
            (
                "Nothing, the scores are enough",
                "Scores say what the model likes next. Where the answer stands, only its tokens say.",
            ),
            (
                "The 40 of the prompt, once",
                "The grammar describes the answer. The prompt may contain anything.",
            ),
        ),
    ),
    Question(
        "Row 3 of a batch has ended, the others go on. What should the processor do with it?",
        right=(
            "Leave its scores as they are",
            "The loop pads it anyway. An empty mask would turn the row into NaN.",
        ),
        wrong=(
            ("Mask everything", "A softmax of minus infinities is NaN, and sampling fails for all rows."),
            ("Remove it from the batch", "The loop owns the batch. Rows would no longer fit the prompts."),
            ("Reset its matcher", "It would begin a second answer that nobody asked for."),
        ),
    ),
    Question(
        "Two requests bring the same schema, for two models with different tokenizers. One grammar?",
        right=(
            "No, one for each tokenizer",
            "A mask says which *tokens* are legal. Other tokens, other masks.",
        ),
        wrong=(
            ("Yes, the schema is the same", "The schema is about characters. The masks are about tokens."),
            (
                "Yes, if both vocabularies have the same size",
                "Size says nothing about which token is which. Such a key lies quietly.",
            ),
        ),
    ),
    Question(
        "Why must a cache key not sort the schema's keys?",
        right=(
            "The order of `properties` is the order in which keys are written",
            "Two orders are two grammars in most engines, though the sets of valid documents are equal.",
        ),
        wrong=(
            ("Sorting takes too long", "It takes microseconds. The result would be wrong, not slow."),
            (
                "JSON Schema says that order matters",
                "For validation it does not. For *generation* a fixed order makes the masks simple.",
            ),
            (
                "Sorted keys cannot be hashed",
                "The sorted text hashes well. It just stands for two different grammars.",
            ),
        ),
    ),
    Question(
        "Engine A allows a token that engine B refuses. Who is right?",
        right=(
            "Write a document that goes on with the token, and validate it",
            "If some such document is valid, B is too narrow; if none is, A lets wrong text through.",
        ),
        wrong=(
            ("The one with the smaller mask", "A small mask may refuse good text, as with escapes above."),
            ("The one that more people use", "Masks of engines in wide use differ from each other, too."),
            ("Neither: masks are a matter of taste", "The schema decides, and a validator knows the schema."),
        ),
    ),
    Question(
        "An engine takes a schema with `uniqueItems` and does not enforce it. What follows?",
        right=(
            "Every answer has to be validated after all",
            "The guarantee is gone, and nobody was told. An error at compile time would have said so.",
        ),
        wrong=(
            (
                "Nothing, models rarely repeat items",
                "Rarely is not never, and lesson 00 showed how rare errors add up.",
            ),
            (
                "The masks are larger, but the answers are still valid",
                "The masks allow the second equal item. Then the answer is not valid.",
            ),
            (
                "The engine is faster, so it is the better choice",
                "It is faster because it does less. Compare speed only at equal coverage.",
            ),
        ),
    ),
    Question(
        "Which engine compiles ahead and has cheap masks, and which starts at once and works as it goes?",
        right=(
            "XGrammar ahead, llguidance as it goes",
            "Hence the question to ask: how often is a schema used again?",
        ),
        wrong=(
            (
                "llguidance ahead, XGrammar as it goes",
                "The other way round: see the times to the first mask above.",
            ),
            (
                "Both ahead: masks must be ready before the model runs",
                "A mask is needed only at its step, and may be computed while the model is busy.",
            ),
            (
                "Both as they go: nothing can be known before",
                "The grammar and the vocabulary are known. Much can be computed from them.",
            ),
        ),
    ),
]
