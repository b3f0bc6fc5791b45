"""jsonschema as the judge, with the few places mended where Python is not JSON Schema.

- patterns: ECMA-262's `$` and `.` are not Python's (`$` matches before a last newline there).
- multipleOf: decimal arithmetic on what was written, not binary floats.
- formats: checked where jsonschema can; host names and URIs by the rules of their RFCs, here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from ipaddress import AddressValueError, IPv6Address
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
        """Does the value fit? Not for schemas that `comes_back` names: jsonschema would overflow."""
        return self._validator.is_valid(value)


BY_NAME = ("properties", "patternProperties", "dependentSchemas", "$defs")


def comes_back(schema: Any) -> bool:
    """A reference leads back to itself without going into a part of the value: it means nothing.

    >>> comes_back({"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}})
    True
    >>> comes_back({"items": {"$ref": "#"}})
    False
    """
    ended: set[int] = set()

    def leads_back(part: Any, above: frozenset[int]) -> bool:
        if id(part) in above:
            return True
        if id(part) in ended:
            return False
        found = any(leads_back(other, above | {id(part)}) for other in _same_value(schema, part))
        ended.add(id(part))
        return found

    return any(leads_back(part, frozenset()) for part in _schemas(schema))


def _same_value(root: Any, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas that are applied to the same value as `part`."""
    found = [other for keyword in ("allOf", "anyOf", "oneOf") for other in part.get(keyword, ())]
    found += [part[keyword] for keyword in ("not", "if", "then", "else") if keyword in part]
    found += part.get("dependentSchemas", {}).values()
    if "$ref" in part:
        target = root
        for step in part["$ref"].removeprefix("#").split("/")[1:]:
            target = target[step]
        found.append(target)
    return (other for other in found if isinstance(other, dict))


def _schemas(part: Any) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it."""
    if isinstance(part, list):
        for inner in part:
            yield from _schemas(inner)
    elif isinstance(part, dict):
        yield part
        for keyword, inner in part.items():
            if keyword in BY_NAME:
                yield from _schemas(list(inner.values()))
            elif keyword not in ("const", "enum", "dependentRequired"):
                yield from _schemas(inner)


# formats in whose checks jsonschema takes the RFC at its word
CHECKED = ("date", "ipv4", "ipv6", "uuid", "email", "time", "date-time", "duration")
CHECKER = FormatChecker(formats=())
CHECKER.checkers = {
    name: check for name, check in Draft202012Validator.FORMAT_CHECKER.checkers.items() if name in CHECKED
}


LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\Z", re.ASCII)
RESOURCE = re.compile(r"([^:/?#]*):(//([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?\Z", re.DOTALL)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
AUTHORITY = re.compile(r"([^@]*@)?(\[[^\[\]]*\]|[^:@\[\]]*)(:[0-9]*)?\Z")
CHARACTERS = re.compile(r"([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*\Z")
FUTURE = re.compile(r"\[v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\]\Z")


@CHECKER.checks("hostname")
def is_hostname(value: Any) -> bool:
    """RFC 1123; a label with hyphens at its 3rd and 4th place would have to be decoded first.

    >>> is_hostname("a-b.com"), is_hostname("a-.com"), is_hostname("a_b")
    (True, False, False)
    """
    if not isinstance(value, str):
        return True
    labels = value.split(".")
    return len(value) <= 253 and all(LABEL.match(part) and part[2:4] != "--" for part in labels)


@CHECKER.checks("uri")
def is_uri(value: Any) -> bool:
    """RFC 3986: the five parts, each with its characters.

    >>> is_uri("http://[::1]:80/a?b#c"), is_uri("mailto:a@b"), is_uri("/a"), is_uri("a:%zz")
    (True, True, False, False)
    """
    if not isinstance(value, str):
        return True
    parts = RESOURCE.match(value)
    if parts is None or not SCHEME.match(parts[1]):
        return False
    for part in (parts[4], (parts[5] or "?")[1:], (parts[6] or "#")[1:]):
        if not CHARACTERS.match(part):
            return False
    return parts[3] is None or _is_authority(parts[3])


def _is_authority(text: str) -> bool:
    parts = AUTHORITY.match(text)
    if parts is None or not CHARACTERS.match(parts[1] or ""):
        return False
    host = parts[2]
    if not host.startswith("["):
        return CHARACTERS.match(host) is not None
    try:
        IPv6Address(host[1:-1])
    except AddressValueError:
        return FUTURE.match(host) is not None
    return "%" not in host


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
        elif keyword in BY_NAME and isinstance(part, dict):
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
