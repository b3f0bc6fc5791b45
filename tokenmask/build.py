"""From shapes to items: the last step of compiling, lazy where it can be.

Each shape becomes one item. Automata are kept per vocabulary, so that the same pattern, or the
plain string that every schema uses, is one automaton with one set of masks for all grammars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import shapes
from .arrays import Arrays, elements
from .automaton import Automaton
from .characters import ANY_CHARACTER, ANY_CONTENT, ANY_KEY
from .expression import Expression, both, concat, either, literal, repeat
from .items import Choice, Follow, Item, TerminalItem
from .lengths import TooManyStates
from .literals import canonical, literals, scalar_spellings
from .numbers import decimals
from .objects import Objects, members
from .punctuation import Punctuation, punctuation
from .shapes import Shape
from .spare import few_names
from .strings import counted_string
from .vocabulary import Vocabulary
from .words import WordTrie

QUOTE = literal(b'"')
ANY_KEY_CLOSED = concat(ANY_KEY, QUOTE)
MOST_AUTOMATA = 500
"""Automata kept per vocabulary; the oldest are forgotten first."""


def automaton_of(vocabulary: Vocabulary, expression: Expression, label: str) -> Automaton:
    """The one automaton of an expression, its states and masks shared by all grammars."""
    kept: dict[Expression, Automaton] = vocabulary.shared.setdefault("automata", {})
    found = kept.get(expression)
    if found is None:
        if len(kept) >= MOST_AUTOMATA:
            for oldest in list(kept)[: MOST_AUTOMATA // 10]:
                kept.pop(oldest, None)
        found = kept[expression] = Automaton(expression, vocabulary, label)
    return found


class Builder:
    """Turns the shapes of one grammar into items. `whitespace` and `key_order` as in the compiler."""

    def __init__(self, vocabulary: Vocabulary, whitespace: str, key_order: str) -> None:
        self.vocabulary = vocabulary
        self.marks: Punctuation = punctuation(vocabulary, whitespace)
        self.in_order = key_order == "schema"
        self.style = (whitespace, key_order)
        self.items: dict[int, Item] = {}
        self.specs: list[Objects | Arrays] = []

    def item(self, shape: Shape) -> Item:
        """The item of a shape, made at its first use: see `LazyItem`."""
        found = self.items.get(id(shape))
        if found is None:
            if isinstance(shape, (shapes.Reference, shapes.Union, shapes.Object, shapes.Array)):
                found = LazyItem(self, shape)
            else:
                found = MAKERS[type(shape)](self, shape)
            self.items[id(shape)] = found
        return found

    def release(self) -> None:
        """Cut the circles among the rules of this grammar (see `Pushdown.__del__`)."""
        for item in self.items.values():
            if isinstance(item, LazyItem):  # not the shared item of any value
                item.alternatives = ()
        for spec in self.specs:
            spec.release()
        self.items.clear()

    def terminal(self, shape: shapes.Terminal) -> Item:
        start = automaton_of(self.vocabulary, shape.expression, shape.label).start
        # an automaton on the stack reads at least one byte: what may be empty may also be left out
        return Choice(((start,), ()), shape.label) if shape.expression.nullable else start

    def text(self, shape: shapes.Text) -> Item:
        content = shape.content
        if shape.shortest == 0 and shape.longest is None:
            whole = concat(QUOTE, content, QUOTE)
            return automaton_of(self.vocabulary, whole, shape.label).start
        automaton = automaton_of(self.vocabulary, content, shape.label)
        try:
            counted = counted_string(automaton, shape.shortest, shape.longest)
        except TooManyStates:
            return self.long_way(shape)
        return Choice(((self.marks.quote, counted),), shape.label)

    def long_way(self, shape: shapes.Text) -> TerminalItem:
        """Content and length as one expression: exact, but no mask is shared between counts."""
        length = repeat(ANY_CHARACTER, shape.shortest, shape.longest)
        whole = concat(QUOTE, both(shape.content, length), QUOTE)
        return automaton_of(self.vocabulary, whole, shape.label).start

    def union(self, shape: shapes.Union) -> Item:
        return Choice(tuple((self.item(branch),) for branch in shape.branches), "one of several")

    def sequence(self, shape: shapes.Sequence) -> Item:
        return Choice((tuple(self.item(part) for part in shape.parts),), "sequence")

    def repeat(self, shape: shapes.Repeat) -> Item:
        return Repetition(self.item(shape.body), shape.least, shape.most, {}).at(0)

    def object(self, shape: shapes.Object) -> Item:
        number = {name: i for i, name in enumerate(shape.properties)}
        spellings = [(word, i) for name, i in number.items() for word in scalar_spellings(name)]
        free = [(*self.key(content), self.item(value)) for content, value in shape.free]
        needs = {
            number[name]: sum(1 << number[other] for other in set(others))
            for name, others in shape.dependent_required.items()
            if name in number
        }
        spec = Objects(
            number,
            ItemsOf(self, list(shape.properties.values())),
            sum(1 << number[name] for name in shape.required),
            WordTrie(spellings).root,
            free,
            self.marks,
            shape.min_properties,
            shape.max_properties,
            needs,
            self.in_order,
            shape.forbidden,
            _few_free_names(shape) if shape.min_properties else None,
        )
        self.specs.append(spec)
        return Choice(((self.marks.open_object, members(spec, 0, 0, frozenset(), 0)),), "object")

    def key(self, content: Expression) -> tuple[Automaton, bool]:
        """The automaton of a free key and its closing quote; whether it may be any key at all."""
        anything = content is ANY_KEY
        whole = ANY_KEY_CLOSED if anything else concat(content, QUOTE)
        return automaton_of(self.vocabulary, whole, "key"), anything

    def array(self, shape: shapes.Array) -> Item:
        spec = Arrays(
            [self.item(value) for value in shape.prefix],
            None if shape.rest is None else self.item(shape.rest),
            shape.min_items,
            shape.max_items,
            self.marks,
        )
        if shape.contains is not None:
            spec.match, spec.rest = self.item(shape.contains.match), self.item(shape.contains.other)
            spec.matches_least, spec.matches_most = shape.contains.least, shape.contains.most
        elif shape.unique and isinstance(shape.rest, shapes.Text):
            self._unique_words(spec, shape.rest)
        elif shape.unique:
            self._unique(spec, shape)
        self.specs.append(spec)
        return Choice(((self.marks.open_array, elements(spec, 0)),), "array")

    def _unique_words(self, spec: Arrays, word: shapes.Text) -> None:
        """Strings, spelled as free keys are: what has been read tells whether one comes twice."""
        content = ANY_KEY if word.content is ANY_CONTENT else both(word.content, ANY_KEY)
        if word.shortest or word.longest is not None:
            content = both(content, repeat(ANY_CHARACTER, word.shortest, word.longest))
        spec.words = automaton_of(self.vocabulary, concat(content, QUOTE), word.label)
        spec.any_word = content is ANY_KEY

    def _unique(self, spec: Arrays, shape: shapes.Array) -> None:
        """Number every single value, equal ones alike wherever they stand."""
        numbers: dict[tuple, int] = {}

        def choices(value: Shape | None) -> tuple[tuple[int, Item], ...]:
            if value is None:
                return ()
            found = []
            for one in literal_values(value):
                key = canonical(one)
                number = numbers.setdefault(key, len(numbers))
                found.append((number, literals((one,))))
            return tuple(found)

        spec.choices = [choices(value) for value in shape.prefix]
        spec.rest_choices = choices(shape.rest)

    def any_value(self) -> Item:
        """Any JSON: one item per vocabulary and style, so that its masks are shared by all grammars."""
        key = ("any value", *self.style)
        found = self.vocabulary.shared.get(key)
        if found is None:
            found = self.vocabulary.shared[key] = Choice(label="any JSON value")
            found.alternatives = self._any_alternatives(found)
        return found

    def _any_alternatives(self, value: Choice) -> tuple[Follow, ...]:
        text = concat(QUOTE, ANY_CONTENT, QUOTE)
        words = [literal(word) for word in (b"true", b"false", b"null")]
        scalar = automaton_of(self.vocabulary, either(text, decimals(), *words), "any scalar")
        free = [(*self.key(ANY_KEY), value)]
        root = WordTrie(()).root
        record = Objects({}, [], 0, root, free, self.marks, in_order=self.in_order, shared=True)
        listing = Arrays([], value, 0, None, self.marks)
        return (
            (scalar.start,),
            (self.marks.open_object, members(record, 0, 0, frozenset(), 0)),
            (self.marks.open_array, elements(listing, 0)),
        )


MAKERS: dict[type, Callable[[Builder, Any], Item]] = {
    shapes.Terminal: Builder.terminal,
    shapes.Literals: lambda builder, shape: literals(shape.values),
    shapes.Text: Builder.text,
    shapes.Object: Builder.object,
    shapes.Array: Builder.array,
    shapes.Union: Builder.union,
    shapes.Sequence: Builder.sequence,
    shapes.Repeat: Builder.repeat,
    shapes.Reference: lambda builder, shape: builder.item(_target(shape)),
    shapes.AnyValue: lambda builder, shape: builder.any_value(),
}
LABELS = {shapes.Object: "object", shapes.Array: "array", shapes.Union: "one of several"}


def _few_free_names(shape: shapes.Object) -> frozenset[str] | None:
    taken = {*shape.properties, *shape.forbidden}
    return few_names((content for content, _ in shape.free), taken, shape.min_properties)


class ItemsOf:
    """The items of many shapes, each made when it is first asked for."""

    __slots__ = ("builder", "shapes")

    def __init__(self, builder: Builder, shapes: list[Shape]) -> None:
        self.builder, self.shapes = builder, shapes

    def __getitem__(self, number: int) -> Item:
        return self.builder.item(self.shapes[number])


class LazyItem(Choice):
    """A shape whose item is made when a decoder first gets there; also what makes recursion finite."""

    __slots__ = ("builder", "shape")

    def __init__(self, builder: Builder, shape: Shape) -> None:
        super().__init__()
        self.builder, self.shape = builder, shape
        target = shape.target if isinstance(shape, shapes.Reference) else shape
        self.label = LABELS.get(type(target), "value")

    def expand(self) -> tuple[Follow, ...]:
        if not self.alternatives:
            made = MAKERS[type(self.shape)](self.builder, self.shape)
            self.alternatives = made.alternatives if type(made) is Choice else ((made,),)
        return self.alternatives


class Repetition:
    """`body` from `least` to `most` times; `at(n)` is the rule after n of them."""

    def __init__(self, body: Item, least: int, most: int | None, places: dict[int, Choice]) -> None:
        self.body, self.least, self.most, self.places = body, least, most, places

    def at(self, count: int) -> Choice:
        """Without `most`, counts from `least` on are alike: only "enough" is ever asked."""
        if self.most is None:
            count = min(count, self.least)
        found = self.places.get(count)
        if found is None:
            found = self.places[count] = RepetitionPlace(self, count)
        return found


class RepetitionPlace(Choice):
    """A place in a repetition; its alternatives are to go on or to stop."""

    __slots__ = ("repetition", "count")

    def __init__(self, repetition: Repetition, count: int) -> None:
        super().__init__(label="repetition")
        self.repetition, self.count = repetition, count

    def expand(self) -> tuple[Follow, ...]:
        if not self.alternatives:
            owner, found = self.repetition, []
            if owner.most is None or self.count < owner.most:
                found.append((owner.body, owner.at(self.count + 1)))
            if self.count >= owner.least:
                found.append(())
            self.alternatives = tuple(found)
        return self.alternatives


def _target(shape: shapes.Reference) -> Shape:
    if shape.target is None:
        raise ValueError(f"the rule {shape.name!r} was never filled in")
    return shape.target


def literal_values(shape: Shape) -> list:
    """The values of a shape that is a finite list of scalars."""
    if isinstance(shape, shapes.Literals):
        return list(shape.values)
    if isinstance(shape, shapes.Union):
        return [value for branch in shape.branches for value in literal_values(branch)]
    if isinstance(shape, shapes.Reference):
        return literal_values(_target(shape))
    raise TypeError(f"uniqueItems needs listed values, not {type(shape).__name__}")
