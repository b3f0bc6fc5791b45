"""Rules that are replaced by rules: shortcuts give what the long way gives, and none of it hangs."""

from __future__ import annotations

import pytest

from tokenmask.items import Bytes, Choice
from tokenmask.pushdown import GrammarTooDeep, Pushdown

ONE, TWO, THREE, FOUR = (Bytes(text) for text in (b"1", b"2", b"3", b"4"))


def choice(*alternatives: tuple) -> Choice:
    return Choice(alternatives)


def tops(pushdown: Pushdown, *items: Choice | Bytes) -> set:
    return {top.item for top in pushdown.tops(pushdown.push(items, pushdown.bottom))}


def test_one_way_leads_on_to_several() -> None:
    inner = choice((ONE,), (TWO, THREE))
    pushdown = Pushdown(choice((choice((inner, FOUR)),)))
    assert {stack.item for stack in pushdown.start.stacks} == {ONE, TWO}
    assert {tuple(stack.items()) for stack in pushdown.start.stacks} == {(ONE, FOUR), (TWO, THREE, FOUR)}


def test_what_was_expanded_before_is_found_again() -> None:
    inner = choice((ONE,), (TWO,))
    pushdown = Pushdown(FOUR)
    assert tops(pushdown, inner) == {ONE, TWO}
    assert tops(pushdown, choice((inner,))) == {ONE, TWO}


def test_each_rule_has_its_own_alternatives() -> None:
    below = choice((ONE,), (TWO,)), choice((THREE,), (FOUR,))
    assert tops(Pushdown(FOUR), choice((below[0],), (below[1],))) == {ONE, TWO, THREE, FOUR}


def test_an_empty_alternative_uncovers_what_is_below() -> None:
    assert tops(Pushdown(FOUR), choice((), (ONE,)), TWO) == {ONE, TWO}
    assert tops(Pushdown(FOUR), choice(()), TWO) == {TWO}


def test_a_rule_that_is_itself_and_nothing_else_has_no_way_on() -> None:
    circle = choice()
    circle.alternatives = ((circle,),)
    assert Pushdown(circle).start.stacks == ()


@pytest.mark.parametrize("others", [(), ((TWO,),)])
def test_a_rule_that_grows_without_reading_is_refused(others: tuple) -> None:
    growing = choice()
    growing.alternatives = ((growing, ONE), *others)
    with pytest.raises(GrammarTooDeep, match="without reading anything"):
        Pushdown(growing)
