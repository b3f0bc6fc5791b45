"""The schema as a document: which draft it is written in, its `$id`s and anchors, what a `$ref` means."""

from __future__ import annotations

import json
import marshal
from typing import Any
from urllib.parse import unquote, urljoin

from ..errors import InvalidSchema, UnsupportedSchema

DEEPEST = 400  # levels of nesting; deeper is refused, so that nothing later runs out of stack

MOST_SCHEMAS = 50_000  # subschemas; more would take seconds

# the keywords whose value is a map from names to schemas, and those with a schema or a list of them
SCHEMA_MAPS = frozenset(
    ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
)
SUBSCHEMAS = frozenset(
    ("items", "prefixItems", "additionalItems", "contains", "additionalProperties",
     "propertyNames", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
     "unevaluatedItems", "unevaluatedProperties", "contentSchema")
)

# what only a pass over all subschemas can understand
ANCHOR, UNEVALUATED = b"nchor", b"unevaluated"  # $anchor, $dynamicAnchor, $recursiveAnchor

_DRAFTS = {
    "http://json-schema.org/draft-03/schema": 3,
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
}


def load(schema: Any) -> dict | bool:
    """The schema as plain data, from a dict, a bool, JSON text or a Pydantic model class.

    >>> load('{"type": "null"}')
    {'type': 'null'}
    """
    if isinstance(schema, (str, bytes)):
        schema = _parse(schema)
    elif isinstance(schema, type) and hasattr(schema, "model_json_schema"):
        schema = schema.model_json_schema()
    if not isinstance(schema, (dict, bool)):
        raise InvalidSchema(
            f"a schema is an object or a boolean, not {type(schema).__name__}; pass a dict, "
            "JSON text or a Pydantic model class"
        )
    return schema


def _parse(text: str | bytes) -> Any:
    def no_duplicates(pairs: list[tuple[str, Any]]) -> dict:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))
            raise InvalidSchema(f"the schema's text has the key {twice!r} twice in one object")
        return found

    def no_constants(name: str) -> Any:
        raise InvalidSchema(f"{name} is not JSON")

    try:
        return json.loads(text, object_pairs_hook=no_duplicates, parse_constant=no_constants)
    except RecursionError:
        raise UnsupportedSchema("the schema is nested too deeply to be read") from None
    except InvalidSchema:
        raise
    except ValueError as error:
        raise InvalidSchema(f"the schema is not JSON: {error}") from None


def as_bytes(schema: Any) -> bytes | None:
    """The schema as bytes, different for different schemas and for another order of keys.

    None for what is too deep or holds other than plain data. Four times as fast as `json.dumps`, and
    a part that hangs in many places is written once (so equal schemas may differ here, seldom).
    """
    try:
        return marshal.dumps(schema, 4)
    except ValueError:
        return None


def escape(token: str) -> str:
    """One step of a JSON pointer.

    >>> escape("a/b")
    'a~1b'
    """
    if not isinstance(token, str):
        raise InvalidSchema(f"the name {token!r} is not a string; JSON has no other names")
    if "~" in token or "/" in token:
        return token.replace("~", "~0").replace("/", "~1")
    return token


class Resource:
    """A schema with an identity of its own: the root, or a subschema with `$id`."""

    __slots__ = ("uri", "root", "pointer", "anchors", "dynamic")

    def __init__(self, uri: str, root: dict, pointer: str) -> None:
        self.uri = uri
        self.root = root
        self.pointer = pointer
        self.anchors: dict[str, tuple[dict, str]] = {}
        self.dynamic: set[str] = set()


class Scope:
    """Where a schema is read: its resource, and what each `$dynamicAnchor` means on the way there.

    The outermost resource on the way decides. Scopes are interned: the same way of reading is the
    same object.
    """

    __slots__ = ("resource", "bindings")

    def __init__(self, resource: Resource, bindings: dict[str, Resource]) -> None:
        self.resource = resource
        self.bindings = bindings


class Document:
    """Everything about a schema that does not depend on values.

    The draft is decided by `$schema`; without it, by 2020-12 rules. In draft-04 to draft-07 the
    siblings of `$ref` are ignored, as these drafts say.
    """

    def __init__(self, root: dict, data: bytes | None = None) -> None:
        """`data`: what `as_bytes` makes of the root, if that is known already."""
        self.root = root
        self.draft = _draft(root)
        self.legacy = self.draft <= 7
        self.identifier = "id" if self.draft <= 4 else "$id"
        self.tracks_properties = False
        self.tracks_items = False
        self.has_recursive_anchor = False
        self.top = Resource("", root, "")
        self.resources: dict[str, Resource] = {}
        self.owners: dict[int, Resource] = {}
        self._scopes: dict[tuple, Scope] = {}
        if self._is_plain(as_bytes(root) if data is None else data):
            self._identify(root, "", self.top)
        else:
            self._scan()
        self.start = self.enter(None, self.top)

    def _is_plain(self, data: bytes | None) -> bool:
        """Whether nothing is to be found by `_scan`, as seen from the bytes of the whole schema.

        True of most schemas; False where it is not sure.
        """
        if data is None or ANCHOR in data or UNEVALUATED in data:
            return False
        if data.count(b"{") + data.count(b"\xfb") > DEEPEST:  # how a dict begins
            return False
        mark = b"\x02id" if self.identifier == "id" else b"$id"  # 2: the length
        return mark not in data or not _has_text_inside(self.root, self.identifier)

    def _scan(self) -> None:
        """One pass over all subschemas: identities, anchors, depth. Not recursive."""
        todo: list[tuple[dict, str, Resource, int]] = [(self.root, "", self.top, 0)]
        visited: set[int] = set()  # a dict may hang in several places, or inside itself
        while todo:
            schema, pointer, base, depth = todo.pop()
            if id(schema) in visited:
                continue
            visited.add(id(schema))
            if len(visited) > MOST_SCHEMAS:
                raise UnsupportedSchema(
                    f"the schema has more than {MOST_SCHEMAS} subschemas; split it"
                )
            if depth > DEEPEST:
                raise UnsupportedSchema(
                    f"the schema is nested more than {DEEPEST} levels deep at "
                    f"{pointer[:60]}...; move the inner parts to $defs"
                )
            if self.identifier in schema or not pointer:
                base = self._identify(schema, pointer, base)
            self._note(schema, pointer, base)
            for key, value in schema.items():
                if type(value) is dict:
                    if key in SCHEMA_MAPS:
                        place = f"{pointer}/{key}/"
                        for name, sub in value.items():
                            if type(sub) is dict:
                                todo.append((sub, place + escape(name), base, depth + 1))
                    elif key in SUBSCHEMAS:
                        todo.append((value, f"{pointer}/{key}", base, depth + 1))
                elif type(value) is list and key in SUBSCHEMAS:
                    for i, sub in enumerate(value):
                        if type(sub) is dict:
                            todo.append((sub, f"{pointer}/{key}/{i}", base, depth + 1))

    def _note(self, schema: dict, pointer: str, base: Resource) -> None:
        """The keywords that matter to other places of the document."""
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(keyword), str):
                base.anchors[schema[keyword]] = (schema, pointer)
                if keyword == "$dynamicAnchor":
                    base.dynamic.add(schema[keyword])
        if "unevaluatedProperties" in schema:
            self.tracks_properties = True
        if "unevaluatedItems" in schema:
            self.tracks_items = True
        if schema.get("$recursiveAnchor") is True:
            self.has_recursive_anchor = True

    def _identify(self, schema: dict, pointer: str, base: Resource) -> Resource:
        identity = schema.get(self.identifier)
        if not isinstance(identity, str) or (self.legacy and "$ref" in schema and pointer):
            if not pointer:
                self.resources[""] = self.top
            return base
        if identity.startswith("#"):  # draft-04 to draft-07: a name for this place
            base.anchors[identity[1:]] = (schema, pointer)
            if not pointer:
                self.resources[""] = self.top
            return base
        uri = _join(base.uri, identity).split("#")[0]
        resource = self.top if not pointer else Resource(uri, schema, pointer)
        resource.uri = uri
        self.resources[uri] = resource
        self.owners[id(schema)] = resource
        return resource

    def enter(self, scope: Scope | None, resource: Resource) -> Scope:
        """The scope inside a resource, coming from another scope."""
        if scope is not None and scope.resource is resource:
            return scope
        bindings = dict.fromkeys(resource.dynamic, resource)
        if scope is not None:
            bindings.update(scope.bindings)
        owners = [(name, id(owner)) for name, owner in bindings.items()]
        key = (id(resource), frozenset(owners))
        return self._scopes.get(key) or self._scopes.setdefault(key, Scope(resource, bindings))

    def scope_of(self, schema: dict, scope: Scope) -> Scope:
        """The scope that references inside `schema` are read in."""
        owner = self.owners.get(id(schema)) if self.owners else None
        return scope if owner is None else self.enter(scope, owner)

    def resolve(
        self, reference: str, scope: Scope, pointer: str, dynamic: bool = False
    ) -> tuple[Any, str, Scope]:
        """What a reference stands for: (schema, its pointer, its scope).

        `dynamic`: if it leads to a `$dynamicAnchor`, the outermost one of that name is meant.
        """
        place, _, fragment = reference.partition("#")
        resource = scope.resource
        if place:
            found = self.resources.get(_join(resource.uri, place))
            if found is None:
                raise UnsupportedSchema(
                    f"the reference {reference!r} leads out of this document, and nothing is "
                    "fetched; put its target under $defs",
                    keyword="$ref", pointer=pointer,
                )
            resource = found
        fragment = unquote(fragment)
        if not fragment or fragment.startswith("/"):
            schema, where, resource = self._walk(reference, fragment, resource, pointer)
        else:
            if dynamic and fragment in resource.dynamic:
                resource = scope.bindings.get(fragment, resource)
            if fragment not in resource.anchors:
                raise InvalidSchema(
                    f"the reference {reference!r} leads to no anchor of this document",
                    keyword="$ref", pointer=pointer,
                )
            schema, where = resource.anchors[fragment]
            resource = self.owners.get(id(schema), resource)
        return schema, where, self.enter(scope, resource)

    def _walk(
        self, reference: str, fragment: str, resource: Resource, pointer: str
    ) -> tuple[Any, str, Resource]:
        """Follow a JSON pointer; the resource is the one that the target itself belongs to."""
        here: Any = resource.root
        where = resource.pointer
        for token in fragment.split("/")[1:]:
            where = f"{where}/{token}"
            token = token.replace("~1", "/").replace("~0", "~")
            if isinstance(here, dict) and token in here:
                here = here[token]
                resource = self.owners.get(id(here), resource)
            elif isinstance(here, list) and token.isdigit() and int(token) < len(here):
                here = here[int(token)]
                resource = self.owners.get(id(here), resource)
            else:
                raise InvalidSchema(
                    f"the reference {reference!r} leads to nothing", keyword="$ref", pointer=pointer
                )
        if not isinstance(here, (dict, bool)):
            raise InvalidSchema(
                f"the reference {reference!r} leads to something that is no schema",
                keyword="$ref", pointer=pointer,
            )
        return here, where, resource


def _join(base: str, reference: str) -> str:
    try:
        joined = urljoin(base, reference)
    except ValueError:
        return reference
    if base.startswith("urn:") and joined == "":
        return base
    return joined


def _draft(root: dict) -> int:
    named = root.get("$schema")
    if named is None:
        return 2020
    if not isinstance(named, str):
        raise InvalidSchema("$schema is not a string", keyword="$schema")
    draft = _DRAFTS.get(named.rstrip("#"))
    if draft == 3:
        raise UnsupportedSchema(
            "draft-03 schemas are not understood; rewrite it for a later draft", keyword="$schema"
        )
    if draft is None and "json-schema.org/" not in named:
        raise UnsupportedSchema(
            f"the meta-schema {named!r} is not known, so neither is what its keywords mean; "
            "leave $schema out for draft 2020-12",
            keyword="$schema",
        )
    return draft or 2020


def _has_text_inside(root: dict, key: str) -> bool:
    """Some dict in `root`, not `root` itself, has a text under the key."""
    todo: list[dict | list] = [root]
    seen: set[int] = set()  # a part may hang in many places
    while todo:
        part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        for value in part.values() if type(part) is dict else part:
            if type(value) is dict:
                if type(value.get(key)) is str:
                    return True
                todo.append(value)
            elif type(value) is list:
                todo.append(value)
    return False
