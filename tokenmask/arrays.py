"""The elements of a JSON array: by position, with bounds, counted matches and uniqueness."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .automaton import Automaton
from .freekeys import Barred, FreeKey, nodes_before_a_word
from .items import Follow, Item, Rule
from .punctuation import Punctuation


@dataclass(slots=True, eq=False)
class Arrays:
    """What all elements of one array schema share."""

    prefix: list[Item]
    rest: Item | None  # None: nothing after the prefix
    least: int
    most: int | None
    marks: Punctuation
    match: Item | None = None  # `contains`: an element is either `match` or `rest`
    matches_least: int = 0
    matches_most: int | None = None
    choices: list[tuple[tuple[int, Item], ...]] | None = None  # uniqueItems: numbered values by position
    rest_choices: tuple[tuple[int, Item], ...] = ()
    words: Automaton | None = None  # uniqueItems of strings: content and closing quote
    any_word: bool = False  # ... and every content at all is allowed
    elements: dict[tuple, Elements] = field(default_factory=dict)
    word_keys: dict[Elements, FreeKey] = field(default_factory=dict)

    def release(self) -> None:
        """Let go of every place and item, since they hold on to this."""
        self.elements.clear()
        self.word_keys.clear()
        self.prefix, self.rest, self.match = [], None, None


Used = int | frozenset[str]
"""`uniqueItems`: the values read, as bits of their numbers; of strings, the strings themselves."""


def elements(spec: Arrays, count: int, matches: int = 0, used: Used = 0) -> Elements:
    """The one rule for a place in an array: elements read, matches among them, values used.

    Without `maxItems`, counts are compared with 0, the prefix's length and `minItems` only, so they
    are kept up to the largest of these. Matches likewise, up to the larger of their bounds.
    """
    if spec.most is None:
        count = min(count, max(len(spec.prefix), spec.least, 1))
    bound = spec.matches_least if spec.matches_most is None else spec.matches_most + 1
    key = (count, min(matches, max(bound, spec.matches_least)), used)
    found = spec.elements.get(key)
    if found is None:
        found = spec.elements[key] = Elements(spec, *key)
    return found


class Elements(Rule):
    """The rest of an array, from before the comma (or the first element) to the bracket."""

    __slots__ = ("spec", "count", "matches", "used")
    label = "elements"

    def __init__(self, spec: Arrays, count: int, matches: int, used: Used) -> None:
        self.spec, self.count, self.matches, self.used = spec, count, matches, used

    def describe(self) -> str:
        least, most = self.spec.least - self.count, self.spec.most
        if least > 0:
            return f"elements, at least {least} more"
        if most is None:
            return "elements"
        left = most - self.count
        return f"elements, at most {left} more" if left else "elements, no more"

    def expand(self) -> tuple[Follow, ...]:
        return tuple(self._expand())

    def _expand(self) -> Iterable[Follow]:
        spec, marks, first = self.spec, self.spec.marks, self.count == 0
        if self.count >= spec.least and self.matches >= spec.matches_least:
            yield (marks.close_empty_array if first else marks.close_array,)
        if spec.most is not None and self.count >= spec.most:
            return
        lead: Follow = () if first else (marks.comma,)
        if spec.words is not None:
            key = spec.word_keys.get(self)
            if key is None:
                key = FreeKey(WordPlace(self), 0, spec.words.start, ("", b""), spec.any_word)
                spec.word_keys[self] = key
            if key.alive():
                yield (*lead, marks.quote, key)
            return
        for value, after in self._next():
            yield (*lead, value, after)

    def _next(self) -> Iterable[tuple[Item, Elements]]:
        """Each kind of next element with the place after it."""
        spec, count = self.spec, self.count
        if spec.choices is not None:
            yield from self._next_unique()
        elif spec.match is not None:
            yield from self._next_counted()
        elif count < len(spec.prefix):
            yield spec.prefix[count], elements(spec, count + 1)
        elif spec.rest is not None:
            yield spec.rest, elements(spec, count + 1)

    def _next_counted(self) -> Iterable[tuple[Item, Elements]]:
        """`contains`: a match if one more is allowed, another if the matches still owed then fit."""
        spec, count, matches = self.spec, self.count + 1, self.matches
        if spec.matches_most is None or matches < spec.matches_most:
            owed = spec.matches_least - matches - 1
            if self._fits(count, owed):
                yield spec.match, elements(spec, count, matches + 1)
        if spec.rest is not None and self._fits(count, spec.matches_least - matches):
            yield spec.rest, elements(spec, count, matches)

    def _fits(self, count: int, owed: int) -> bool:
        return self.spec.most is None or owed <= self.spec.most - count

    def _next_unique(self) -> Iterable[tuple[Item, Elements]]:
        """`uniqueItems`: one alternative per value that was not used yet."""
        spec, count = self.spec, self.count
        if count < len(spec.choices):
            values = spec.choices[count]
        else:
            values = spec.rest_choices
        for number, item in values:
            if not self.used >> number & 1:
                after = elements(spec, count + 1, 0, self.used | 1 << number)
                if after.reachable():
                    yield item, after

    def reachable(self) -> bool:
        """With unique values: enough unused ones are left to reach `least`."""
        spec = self.spec
        if self.count >= spec.least:
            return True
        if spec.choices and self.count < len(spec.choices):
            return any(True for _ in self._next_unique())
        left = sum(not self.used >> number & 1 for number, _ in spec.rest_choices)
        return self.count + left >= spec.least


class WordPlace:
    """A place in an array of different strings, as `FreeKey` wants it: no string may come twice."""

    __slots__ = ("elements", "spec", "extra")
    kind = "a string"
    deep_nodes = staticmethod(nodes_before_a_word)

    def __init__(self, here: Elements) -> None:
        self.elements, self.spec = here, WordSpec()
        self.extra: frozenset[str] = here.used or frozenset()

    def after_free(self, branch: int, word: str | None) -> Follow:
        """What comes after a string; `word` None where it cannot matter which."""
        here = self.elements
        used = self.extra if word is None else self.extra | {word}
        return (elements(here.spec, here.count + 1, 0, used),)


class WordSpec:
    """No string is barred from the start."""

    __slots__ = ("barred",)
    numbers: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()
    least = 0

    def __init__(self) -> None:
        self.barred: dict[tuple, Barred] = {}
