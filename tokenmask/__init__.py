"""Constrained decoding in Python and NumPy: from a schema to the set of tokens that may come next.

Read it in this order: `vocabulary`, `trie` (what a model can say), `expression`, `automaton` (one
lexeme), `items`, `pushdown` (what is owed), `masks` (the bitset), `matcher`, `compiler`; then
`schema/` (JSON Schema) and `generate` (the loop).
"""

from .bitmask import allocate_token_bitmask, apply_token_bitmask
from .compiled import CompiledGrammar
from .compiler import GrammarCompiler
from .errors import InvalidSchema, SchemaError, UnsatisfiableSchema, UnsupportedSchema
from .generate import generate
from .matcher import GrammarMatcher
from .trace import Step, Trace
from .vocabulary import Vocabulary

__all__ = [
    "CompiledGrammar",
    "GrammarCompiler",
    "GrammarMatcher",
    "InvalidSchema",
    "SchemaError",
    "Step",
    "Trace",
    "UnsatisfiableSchema",
    "UnsupportedSchema",
    "Vocabulary",
    "allocate_token_bitmask",
    "apply_token_bitmask",
    "generate",
]
