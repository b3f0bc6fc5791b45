"""Patterns of internet addresses: host names, IP addresses, e-mail addresses, URIs and IRIs.

Each follows the grammar of its RFC (1123, 4291, 5321, 3986, 3987), rule by rule.
"""

from __future__ import annotations

_LETTER = "[a-zA-Z0-9]"
_INNER = "[a-zA-Z0-9-]"
# at most 63 characters, no hyphen at the ends, and none at both the 3rd and the 4th place: there
# they announce Punycode
_LABEL = (
    rf"(?:{_LETTER}{{1,2}}|{_LETTER}{_INNER}(?:{_LETTER}(?:{_INNER}{{0,59}}{_LETTER})?"
    rf"|-{_LETTER}(?:{_INNER}{{0,58}}{_LETTER})?))"
)
HOSTNAME = rf"(?:{_LABEL}\.)*{_LABEL}"

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
IPV4 = rf"(?:{_OCTET}\.){{3}}{_OCTET}"

_GROUP = "[0-9a-fA-F]{1,4}"


def _ipv6() -> str:
    """Eight groups, or fewer with one `::`; the last two may be an IPv4 address."""
    forms = [rf"(?:{_GROUP}:){{6}}(?:{_GROUP}:{_GROUP}|{IPV4})"]
    for left in range(8):
        before = rf"{_GROUP}(?::{_GROUP}){{{left - 1}}}" if left else ""
        after = []
        if left <= 6:
            after.append(rf"(?:{_GROUP}:){{0,{6 - left}}}{_GROUP}")
        if left <= 5:
            after.append(rf"(?:{_GROUP}:){{0,{5 - left}}}{IPV4}")
        forms.append(f"{before}::(?:{'|'.join(after)})?" if after else f"{before}::")
    return f"(?:{'|'.join(forms)})"


IPV6 = _ipv6()

_ATOM = r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_DOMAIN = rf"{_LETTER}(?:{_INNER}*{_LETTER})?(?:\.{_LETTER}(?:{_INNER}*{_LETTER})?)*"
EMAIL = rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:{_DOMAIN}|\[(?:{IPV4}|IPv6:{IPV6})\])"

# beyond ASCII: anything but the characters that are read as a dot or an @
_WIDE = r"\x80-\u3001\u3003-\uff0d\uff0f-\uff1f\uff21-\uff60\uff62-\u{10ffff}"
_WIDE_ATOM = rf"[a-zA-Z0-9!#$%&'*+/=?^_`{{|}}~\-{_WIDE}]+"
_WIDE_QUOTED = rf'"(?:[ !#-\[\]-~{_WIDE}]|\\[ -~])*"'
_WIDE_LABEL = rf"[a-zA-Z0-9{_WIDE}](?:[a-zA-Z0-9{_WIDE}-]*[a-zA-Z0-9{_WIDE}])?"
IDN_EMAIL = (
    rf"(?:{_WIDE_ATOM}(?:\.{_WIDE_ATOM})*|{_WIDE_QUOTED})@(?:{_WIDE_LABEL}(?:\.{_WIDE_LABEL})*"
    rf"|\[(?:{IPV4}|IPv6:{IPV6})\])"
)


def _resource(letters: str, private: str) -> tuple[str, str]:
    """A URI and a URI reference; `letters` beyond ASCII make it an IRI."""
    plain = rf"a-zA-Z0-9._~!$&'()*+,;=\-{letters}"
    escaped = "%[0-9a-fA-F]{2}"
    part = rf"(?:[{plain}:@]|{escaped})"
    literal = rf"\[(?:{IPV6}|v[0-9a-fA-F]+\.[a-zA-Z0-9._~!$&'()*+,;=:\-]+)\]"
    host = rf"(?:{literal}|(?:[{plain}]|{escaped})*)"
    authority = rf"(?:(?:[{plain}:]|{escaped})*@)?{host}(?::\d*)?"
    absolute = rf"/(?:{part}+(?:/{part}*)*)?"
    rooted = rf"//{authority}(?:/{part}*)*|{absolute}"
    first = rf"(?:[{plain}@]|{escaped})+"  # no colon: that would make it a scheme
    query = rf"(?:[{plain}:@/?{private}]|{escaped})*"
    end = rf"(?:\?{query})?(?:#(?:[{plain}:@/?]|{escaped})*)?"
    whole = rf"[a-zA-Z][a-zA-Z0-9+.\-]*:(?:{rooted}|{part}+(?:/{part}*)*|){end}"
    relative = rf"(?:{rooted}|{first}(?:/{part}*)*|){end}"
    return whole, rf"(?:{whole}|{relative})"


_PLANES = "".join(rf"\u{{{plane:x}0000}}-\u{{{plane:x}fffd}}" for plane in range(1, 14))
_IRI_LETTERS = rf"\xa0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef{_PLANES}\u{{e1000}}-\u{{efffd}}"
_PRIVATE = r"\ue000-\uf8ff\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}"
URI, URI_REFERENCE = _resource("", "")
IRI, IRI_REFERENCE = _resource(_IRI_LETTERS, _PRIVATE)
