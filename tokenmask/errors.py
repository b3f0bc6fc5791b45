"""The three ways in which a schema can be refused. All are `ValueError`s that say where and what to do."""

from __future__ import annotations


class SchemaError(ValueError):
    """Common base: `keyword` and `pointer` (a JSON pointer into the schema) say where the trouble is."""

    def __init__(self, message: str, *, keyword: str | None = None, pointer: str = "") -> None:
        self.keyword = keyword
        self.pointer = pointer
        place = f" (keyword {keyword!r} at {pointer or '/'})" if keyword else ""
        super().__init__(message + place)


class InvalidSchema(SchemaError):
    """The schema itself is wrong: not JSON, a keyword of the wrong type, a reference to nothing."""


class UnsupportedSchema(SchemaError):
    """The schema is fine, but this engine cannot enforce all of it. Nothing is silently ignored."""


class UnsatisfiableSchema(SchemaError):
    """No document at all can match: every path through the schema ends in a contradiction."""
