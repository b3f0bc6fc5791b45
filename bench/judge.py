"""jsonschema as the judge, with the few places mended where Python is not JSON Schema.

- patterns: ECMA-262's `$` and `.` are not Python's (`$` matches before a last newline there).
- multipleOf: decimal arithmetic on what was written, not binary floats.
- formats: checked where jsonschema can.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, ValidationError, validators


def _multiple_of(_: Any, unit: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    if Fraction(str(instance)) % Fraction(str(unit)):
        yield ValidationError(f"{instance} is not a multiple of {unit}")


Validator = validators.extend(Draft202012Validator, {"multipleOf": _multiple_of})


class Judge:
    """Says whether values fit a schema."""

    def __init__(self, schema: Any) -> None:
        self._validator = Validator(for_python(schema), format_checker=CHECKER)

    def allows(self, value: Any) -> bool:
        """Does the value fit? RecursionError for references that never get anywhere."""
        return self._validator.is_valid(value)


# formats in whose checks jsonschema takes the RFC at its word
CHECKED = ("date", "ipv4", "ipv6", "uuid", "email", "time", "date-time", "duration")
CHECKER = FormatChecker(formats=())
CHECKER.checkers = {
    name: check for name, check in Draft202012Validator.FORMAT_CHECKER.checkers.items() if name in CHECKED
}


def for_python(schema: Any) -> Any:
    """The schema with its patterns as Python's `re` must read them."""
    if isinstance(schema, list):
        return [for_python(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {}
    for keyword, part in schema.items():
        if keyword in ("const", "enum"):
            made[keyword] = part
        elif keyword == "pattern" and isinstance(part, str):
            made[keyword] = python_pattern(part)
        elif keyword == "patternProperties" and isinstance(part, dict):
            made[keyword] = {python_pattern(p): for_python(s) for p, s in part.items()}
        elif keyword in ("properties", "dependentSchemas", "$defs") and isinstance(part, dict):
            made[keyword] = {name: for_python(s) for name, s in part.items()}
        else:
            made[keyword] = for_python(part)
    return made


def python_pattern(pattern: str) -> str:
    """The ECMA-262 pattern in Python's dialect; only for patterns of `strategies.patterns`.

    >>> python_pattern("^a.$")
    '^a[^\\\\n\\\\r\\\\u2028\\\\u2029]\\\\Z'
    """
    return pattern.replace(".", r"[^\n\r\u2028\u2029]").replace("$", r"\Z")


class DuplicateKey(ValueError):
    """An object of the text has a key twice."""


def read(text: str) -> Any:
    """json.loads that refuses duplicate keys and the spellings NaN and Infinity."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) != len(found):
            raise DuplicateKey(f"a key comes twice: {[key for key, _ in found]}")
        return made

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
