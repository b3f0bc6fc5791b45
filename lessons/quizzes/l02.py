"""The quiz of lesson 02."""

from lessons.quiz import Question

QUESTIONS = [
    Question(
        "A tokenizer's file lists the piece `Ġthe`. Which bytes does this token stand for?",
        right=(
            "A space, then `the`",
            "Byte-level tokenizers write each byte as one printable character; the space's is Ġ.",
        ),
        wrong=(
            (
                "The UTF-8 bytes of `Ġthe`",
                "Ġ is only how the file writes byte 32. It never occurs in the text.",
            ),
            (
                "`the`; Ġ only marks a new word",
                "The space is part of the token: emitting it adds four bytes, the first of them a space.",
            ),
            (
                "It depends on the language of the text",
                "The alphabet is fixed: 256 characters for 256 bytes.",
            ),
        ),
    ),
    Question(
        "Why do the automata of this lesson read bytes instead of characters?",
        right=(
            "Some tokens hold only a part of a character",
            "Such a token is no text, but its bytes lead to a state that waits for the rest.",
        ),
        wrong=(
            (
                "Bytes are faster to compare",
                "Hardly. What matters is that a half character has a state at all.",
            ),
            ("JSON is defined over bytes", "JSON is defined over characters; UTF-8 is how they are sent."),
            (
                "So that special tokens can be matched",
                "Special tokens are never part of the text, whatever the automaton reads.",
            ),
        ),
    ),
    Question(
        "In which state does the trie gain most over replay?",
        right=(
            "Where only `[` may come",
            "At the root all branches but one die at once, and with them nearly all tokens.",
        ),
        wrong=(
            ("Inside a string", "There nearly every node lives on, so nearly every node is visited."),
            (
                "The gain is the same everywhere",
                "The trie is the same everywhere, but how much of it is visited depends on the state.",
            ),
            ("In an accepting state", "Whether the text may end has nothing to do with how much may follow."),
        ),
    ),
    Question(
        "The NumPy walk takes the same time in every state. Why?",
        right=(
            "It visits every node, dead ones too",
            "It has no pruning: a dead node's children just take state 0 again.",
        ),
        wrong=(
            ("It keeps masks in a cache", "There is no cache in it; call it twice and it computes twice."),
            ("NumPy runs on all cores", "These look-ups run on one core. What is constant is the work."),
            (
                "It looks at the first byte of each token only",
                "It goes through all levels of the trie, down to the longest token.",
            ),
        ),
    ),
    Question(
        "In a packed bitmask, which bit is token 70?",
        right=("Bit 6 of word 2", "70 = 32 x 2 + 6, and words are counted from 0."),
        wrong=(
            ("Bit 2 of word 6", "Word and bit are swapped: the word is the quotient, the bit the remainder."),
            ("Bit 6 of word 3", "Words are counted from 0, so tokens 64 to 95 are in word 2."),
            ("Bit 25 of word 2", "Bits are counted from the lowest one, not from the top."),
        ),
    ),
    Question(
        "Why does a cache of masks help so much in one document?",
        right=(
            "The same few states come back",
            "Every character of every string is read in the same state; keys repeat in each record.",
        ),
        wrong=(
            (
                "Models repeat the same tokens",
                "The cache is about states. Different tokens in a string lead back to the same state.",
            ),
            (
                "Masks are smaller when packed",
                "That saves memory. What saves time is not computing them again.",
            ),
            (
                "Each mask differs only a little from the last",
                "Neighbouring masks may differ in everything: one token, then thousands.",
            ),
        ),
    ),
    Question(
        "`maxItems` is 5. The key is (place, is there room for one more). What goes wrong?",
        right=(
            "A token that adds two items may be allowed where only one fits",
            "States with 3 and 4 items share the key; whichever came first fills the cache for both.",
        ),
        wrong=(
            (
                "The sixth item is allowed one by one",
                "One at a time the test is right. Tokens with two items are the trouble.",
            ),
            ("The cache fills up with too many keys", "Two per place. Too few keys are the trouble here."),
            (
                "Nothing, as long as every mask is packed",
                "Packing is about storage. The mask itself belongs to another state.",
            ),
        ),
    ),
    Question(
        "When is a clamp `min(count, k)` in a cache key sound?",
        right=(
            "When no token can tell apart two counts from k upwards",
            "Prove it against every comparison that the transition makes, as often as one token makes it.",
        ),
        wrong=(
            (
                "When k is larger than most counts in practice",
                "The rare ones then get a wrong mask: a bug that appears only in long outputs.",
            ),
            (
                "When tests with random documents pass",
                "Random documents rarely stand exactly at the threshold with exactly the long token.",
            ),
            (
                "Always, since counts only grow",
                "They grow towards a limit, and near the limit the masks change.",
            ),
        ),
    ),
]
