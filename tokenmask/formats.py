"""String formats as expressions over JSON content, built when first asked for.

Where jsonschema's checker and the RFC disagree, a format here keeps to what both accept: no leap
seconds, no year 0, no host name whose labels would have to be decoded from Punycode first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .addresses import EMAIL, HOSTNAME, IDN_EMAIL, IPV4, IPV6, IRI, IRI_REFERENCE, URI, URI_REFERENCE
from .expression import Expression
from .regex import content

# every month has its own last day; February 29th needs a year that 4 divides, but not 100 unless 400
_YEAR = r"(?:000[1-9]|00[1-9]\d|0[1-9]\d\d|[1-9]\d{3})"
_LEAP_YEAR = (
    r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
)
_COMMON_DAY = (
    r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|02-(?:0[1-9]|1\d|2[0-8]))"
)
DATE = rf"(?:{_YEAR}-{_COMMON_DAY}|{_LEAP_YEAR}-02-29)"
_HOUR_MINUTE = r"(?:[01]\d|2[0-3]):[0-5]\d"
TIME = rf"{_HOUR_MINUTE}:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]{_HOUR_MINUTE})"
DATE_TIME = rf"{DATE}[Tt]{TIME}"

_CLOCK = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
_CALENDAR = r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)"
DURATION = rf"P(?:{_CALENDAR}(?:{_CLOCK})?|{_CLOCK}|\d+W)"

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

JSON_POINTER = r"(?:/(?:[^~/]|~[01])*)*"
# jsonschema refuses a 0 before another digit also in 100
RELATIVE_JSON_POINTER = rf"(?:0|[1-9]+0?)(?:#|{JSON_POINTER})"

_VARIABLE = r"(?:\w|%[0-9a-fA-F]{2})(?:\.?(?:\w|%[0-9a-fA-F]{2}))*(?::[1-9]\d{0,3}|\*)?"
URI_TEMPLATE = (
    r"(?:[^\x00-\x20\"%<>\\^`{|}\x7f-\x9f\ud800-\udfff]|%[0-9a-fA-F]{2}"
    rf"|\{{[+#./;?&]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"
)

PATTERNS = {
    "date": DATE,
    "time": TIME,
    "date-time": DATE_TIME,
    "duration": DURATION,
    "email": EMAIL,
    "idn-email": IDN_EMAIL,
    "hostname": HOSTNAME,
    "ipv4": IPV4,
    "ipv6": IPV6,
    "uri": URI,
    "uri-reference": URI_REFERENCE,
    "iri": IRI,
    "iri-reference": IRI_REFERENCE,
    "uri-template": URI_TEMPLATE,
    "uuid": UUID,
    "json-pointer": JSON_POINTER,
    "relative-json-pointer": RELATIVE_JSON_POINTER,
}
LONGEST = {"hostname": 253}
"""Code points; not part of the expression: lengths are counted beside it."""


class Formats(Mapping[str, Expression]):
    """Name of a format -> its expression.

    >>> matches(FORMATS["date"], b"2024-02-29")
    True
    """

    def __init__(self) -> None:
        self._built: dict[str, Expression] = {}

    def __getitem__(self, name: str) -> Expression:
        found = self._built.get(name)
        if found is None:
            found = content(PATTERNS[name], search=False)
            self._built[name] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(PATTERNS)

    def __len__(self) -> int:
        return len(PATTERNS)


FORMATS = Formats()
