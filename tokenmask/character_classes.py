"""The character classes that ECMA-262 names: `.`, `\\d`, `\\w`, `\\s`, and Unicode categories."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

from .characters import EVERY, CharacterSet

DIGITS = CharacterSet(((48, 57),))
WORDS = CharacterSet(((48, 57), (65, 90), (95, 95), (97, 122)))
SPACES = CharacterSet.of("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff").union(
    CharacterSet(((0x2000, 0x200A),))
)
DOT = CharacterSet.of("\n\r\u2028\u2029").complement()

_LONG_NAMES = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
    "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me",
    "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
    "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk",
    "Other_Symbol": "So",
    "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp",
    "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Private_Use": "Co",
    "Unassigned": "Cn", "Surrogate": "Cs",
}  # fmt: skip


@cache
def _categories() -> dict[str, CharacterSet]:
    """Every two-letter category, from one pass over all code points."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    category, start = unicodedata.category(chr(0)), 0
    for code in range(1, sys.maxunicode + 2):
        here = unicodedata.category(chr(code)) if code <= sys.maxunicode else ""
        if here != category:
            ranges.setdefault(category, []).append((start, code - 1))
            category, start = here, code
    return {name: CharacterSet(found) for name, found in ranges.items()}


def unicode_property(name: str) -> CharacterSet | None:
    """The characters of `\\p{name}`; None: not known here.

    >>> "é" in unicode_property("Lowercase_Letter")
    True
    """
    if name == "Any":
        return EVERY
    if name == "ASCII":
        return CharacterSet(((0, 127),))
    key, equals, value = name.partition("=")
    if equals and key not in ("General_Category", "gc"):
        return None
    short = value if equals else key
    short = _LONG_NAMES.get(short, short)
    if short == "LC":
        wanted = ("Lu", "Ll", "Lt")
    else:
        wanted = tuple(known for known in _categories() if known == short or known[0] == short)
    found = CharacterSet(())
    for category in wanted:
        found = found.union(_categories()[category])
    return found if wanted else None
