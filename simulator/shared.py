"""What the view and Python share: the simulator's traits, and the files its view is joined from."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets as t

from .schemas import SchemaText

_VIEW = Path(__file__).parent / "view"
# in this order: plain functions, joined into one module
_PARTS = (
    *("dom", "bytes", "ink", "store", "app", "settings", "transport", "tokens"),
    *("maplayout", "map", "strip", "panels", "output", "counter", "main"),
)


def _squeezed(text: str) -> str:
    """Without indentation and whole-line comments: a fifth less to send (no text spans lines)."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


class SharedState(anywidget.AnyWidget):
    """Everything that is synced. `help` says what is not plain from the name."""

    _esm = "\n".join(_squeezed((_VIEW / f"{part}.js").read_text(encoding="utf-8")) for part in _PARTS)
    _css = _squeezed((_VIEW / "simulator.css").read_text(encoding="utf-8"))

    model = t.Unicode("uniform", help="a name in `models`").tag(sync=True)
    models = t.Dict(help="name -> what to call it").tag(sync=True)
    schema = SchemaText("", help="JSON text; takes dicts and names too").tag(sync=True)
    schemas = t.Dict(help="name -> JSON text").tag(sync=True)
    prompt = t.Unicode("").tag(sync=True)
    system = t.Unicode(None, allow_none=True).tag(sync=True)
    seed = t.Int(0, min=0).tag(sync=True)
    temperature = t.Float(1.0, min=0.0).tag(sync=True)
    max_tokens = t.Int(48, min=1).tag(sync=True)
    budget = t.Bool(False).tag(sync=True)
    jump_forward = t.Bool(True).tag(sync=True)
    constrained = t.Bool(True, help="which side is looked at; both are made").tag(sync=True)
    position = t.Int(0, min=0, help="steps taken, as looked at").tag(sync=True)
    status = t.Unicode("ready", help="ready, loading, running, held, done or error").tag(sync=True)
    errors = t.Dict(help="field -> {message, keyword, pointer}").tag(sync=True)
    counter = t.Dict(help="see `count`").tag(sync=True)
    live = t.Bool(True, help="False: a replay, nothing can be computed").tag(sync=True)
    tokens = t.Bytes(b"", help="see `frames.pack_vocabulary`").tag(sync=True)
    silent = t.List(t.Int(), help="ids that are no text: special and end tokens").tag(sync=True)
    replay_facts = t.Bytes(b"", help="see `frames.pack_replay`").tag(sync=True)
    replay_masks = t.Bytes(b"").tag(sync=True)
    replay_tints = t.Bytes(b"").tag(sync=True)
