"""The simulator widget: settings and position as traits, runs in threads, the view in JavaScript.

The controls are native HTML inside the widget, not ipywidgets: those carry no aria attributes and
no keyboard path of their own, and one file for a colleague (`to_html`) needs controls that live
without a kernel. What can be set in the view is a trait here, in both directions.

Each position of a run is a frame (see `frames`). Known frames are stepped through in the browser
alone; only a new step goes through the kernel.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from traitlets import observe

from .counter import SeedCounter
from .frames import SMALL, Frame, Side, deflated, pack_replay, pack_vocabulary
from .page import write_page
from .picture import mimebundle_with_picture
from .schemas import SCHEMAS, schema_text
from .session import Session, Settings, sides_of
from .shared import SharedState
from .workshop import (
    MODELS,
    FieldError,
    Places,
    checker,
    compile_schema,
    load_model,
    no_check,
)

_SETTINGS = ("prompt", "system", "seed", "temperature", "max_tokens", "budget", "jump_forward")


class Simulator(SharedState):
    """Watch a model write under a schema: every mask, why, and the same seed without it.

    model: "uniform", "mostly-legal", "small", or a model object (see `toymodel`).
    schema: dict, JSON text, Pydantic class, or a name in `SCHEMAS`; None is "person".
    trace: a run (or a pair: constrained, free) to replay instead of making one.

    >>> s = Simulator(seed=3)
    >>> s.run(); s.position, s.output()
    (14, '{"name": "Ada", ...}')
    """

    def __init__(self, model: Any = "uniform", schema: Any = None, *, trace: Any = None, **settings):
        self._lock = threading.RLock()
        self._session: Session | None = None
        self._places: Places | None = None
        self._traces: dict[str, Any] = {}
        self._sides: dict[str, Side] = {}
        self._vocabulary: Any = None
        self._model: Any = None
        self._loaded: dict[str, Any] = {}
        self._run_number, self._target = 0, 0.0
        self._packed: list[tuple[int, str]] = []
        self._outbox: list[tuple[str, int, Frame | None]] = []
        self._counter = SeedCounter(lambda counts: setattr(self, "counter", counts))
        self._ready = False
        names = dict(MODELS)
        if not isinstance(model, str):
            name = type(model).__name__
            self._loaded[name], names[name], model = model, name, name
        elif model not in MODELS:
            raise ValueError(f"no model is called {model!r}: take one of {', '.join(MODELS)}")
        texts = {name: schema_text(value) for name, value in SCHEMAS.items()}
        super().__init__(
            model=model, models=names, schemas=texts,
            schema="person" if schema is None else schema, **settings,
        )  # fmt: skip
        self.on_msg(self._on_message)
        self._ready = True
        if trace is None:
            self._renew()
        else:
            self._replay(list(trace) if isinstance(trace, (tuple, list)) else [trace])

    # what Python code may call

    def step(self, n: int = 1) -> None:
        """Take `n` more steps from the current position and wait for them."""
        to = self.position + n  # the runs move the position on while we wait
        self._go(to)
        if self._session is not None:
            self._session.wait(to)
            self._settle()

    def back(self, n: int = 1) -> None:
        """Go `n` steps back; nothing is forgotten."""
        self._move(max(0, self.position - n))

    def run(self) -> None:
        """Make both runs to their end and go there."""
        self._go(inf)
        if self._session is not None:
            self._session.wait(inf)
            self._settle()

    def hold(self) -> None:
        """Pause a run; `step` and `run` go on from there."""
        self._counter.stop()
        if self._session is not None and self.status == "running":
            self._session.hold()
            self._target = self.position
            self.status = "held"

    def reset(self) -> None:
        """Forget the run and stand before its first token."""
        if self.live:
            self._renew()
        else:
            self._move(0)

    def output(self, side: str | None = None) -> str:
        """The text written up to the current position; side: "constrained" or "free"."""
        frames = self._frames(side)[1 : self.position + 1]
        ids = [frame.facts["token"] for frame in frames]
        pieces = [self._vocabulary.tokens[i] for i in ids if i not in set(self.silent)]
        return b"".join(pieces).decode("utf-8", "backslashreplace")

    def count(self, total: int = 200) -> dict[str, Any]:
        """Run seeds 0 to total - 1 on both sides; how many outputs are valid, as `counter`."""
        if self._session is not None:
            self._counter.count(self._session.generator(), self._session.schema, total)
        return self.counter

    @property
    def trace(self) -> Any:
        """The finished run of the side looked at, a `tokenmask.Trace`; None while it is not over."""
        if self._session is None:
            return self._traces.get(self._side())
        return self._session.runs[self._side()].trace

    def to_html(self, path: str | Path) -> Path:
        """Write the run (made to its end if it was not begun) as one file that needs nothing else."""
        if self.live and self._session is not None and not self._session.length:
            position = self.position
            self.run()
            self.position = position
        return write_page(Path(path), self._state_for_page(), self._esm, self._css)

    def close(self) -> None:
        """End the threads and take the widget off the page."""
        self._counter.stop()
        if self._session is not None:
            self._session.stop()
        super().close()

    def __repr__(self) -> str:
        return f"Simulator({self._about()}). {self._sentence()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        frames = self._frames()
        frame = frames[min(self.position, len(frames) - 1)] if frames else None
        return mimebundle_with_picture(bundle, self._sentence(), frame, self._vocabulary)

    # making runs

    @observe("model", "schema", *_SETTINGS)
    def _on_setting(self, change: Any) -> None:
        if self._ready and self.live:
            self._renew()

    def _renew(self) -> None:
        """A new session at position 0, from the settings as they are."""
        if self._session is not None:
            self._session.stop()
        self._session, self._sides, self._places = None, {}, None
        self._counter.stop()
        self.errors, self.counter = {}, {}
        try:
            self._session = self._new_session()
            self._sides = self._session.sides
            self.status = "ready"
        except FieldError as error:
            self.errors, self.status = {error.field: error.facts}, "error"
        self._publish()

    def _new_session(self) -> Session:
        self.status = "loading"
        self._model = self._loaded.get(self.model) or load_model(self.model, self.seed)
        self._show_vocabulary(self._model.vocabulary)
        schema, compiled = compile_schema(self.schema, self._vocabulary)
        self._places = Places(compiled)
        settings = Settings(**{name: getattr(self, name) for name in _SETTINGS})
        number = self._run_number + 1
        return Session(
            self._model, schema, compiled, self._places, settings,
            lambda side, index, frame: self._on_frame(number, side, index, frame),
        )  # fmt: skip

    def _show_vocabulary(self, vocabulary: Any) -> None:
        if self._vocabulary is not vocabulary:
            self._vocabulary = vocabulary
            self.silent = sorted({*vocabulary.eos_ids, *vocabulary.special_ids})
            self.tokens = pack_vocabulary(vocabulary.tokens)

    def _replay(self, traces: list[Any]) -> None:
        trace = traces[0]
        self._traces = {"constrained" if r.constrained else "free": r for r in traces}
        self.constrained = "constrained" in self._traces
        self.prompt, self.live = trace.prompt or "", False
        if isinstance(trace.seed, int):
            self.seed = trace.seed
        self._show_vocabulary(trace.vocabulary)
        check = no_check
        if trace.schema is not None:
            self.schema = trace.schema
            check = checker(json.loads(self.schema))
            # a schema that does not compile here has no mask to show before the first token
            with suppress(FieldError):
                self._places = Places(compile_schema(self.schema, trace.vocabulary)[1])
        self._sides = sides_of(traces, check, self._places)
        self.status = "done"
        self._publish()

    def _go(self, to: float) -> None:
        """Let the runs go on to position `to` and follow them there."""
        known = max((len(side.frames) for side in self._sides.values()), default=1) - 1
        if self._session is None or self._session.finished or to <= self._session.head:
            self._move(int(min(to, known)))
            return
        self._target = to
        self.status = "running" if to == inf else "held"
        self._session.allow(to)

    def _settle(self) -> None:
        """After a wait: stand where the runs are."""
        self._move(int(min(self._target, self._session.head)))

    def _on_frame(self, number: int, side: str, index: int, frame: Frame | None) -> None:
        """A run has made a step (or is over, frame None); called in its thread."""
        with self._lock:
            session = self._session
            if number != self._run_number or session is None:
                return
            self._outbox.append((side, index, frame))
            head = session.head
            follow = self._target > self.position
            position = int(min(self._target, head)) if follow else self.position
            # one message for both sides: the view draws once a step
            if frame is None or head >= index:
                self._send_frames(position)
            if frame is None and session.errors:
                self.errors = {"run": FieldError("run", session.errors[0]).facts}
            if session.finished:
                self.status = "done"
            self._move(position, following=True)

    def _move(self, position: int, following: bool = False) -> None:
        with self._lock:
            target = self._target if following else position
            self.position = position
            self._target = target

    @observe("position")
    def _stop_following(self, change: Any) -> None:
        """Whoever goes somewhere else in mid-run, in the view or in Python, is not pulled along."""
        self._target = self.position

    # what the view gets and asks

    def _publish(self) -> None:
        """A new run, or a replay: all its frames at once, from position 0."""
        self._run_number += 1
        self._send_all(0)

    def _send_all(self, position: int) -> None:
        with self._lock, self.hold_sync():
            self._packed = self._extent()
            self._outbox.clear()
            for name, value in pack_replay(self._sides, self._run_number).items():
                setattr(self, name, value)
            self._target = self.position = position

    def _extent(self) -> list[tuple[int, str]]:
        """How far each side is: what was packed is stale once this is not what it was."""
        return [(len(side.frames), side.finished) for side in self._sides.values()]

    def _send_frames(self, position: int) -> None:
        frames, buffers = [], []
        for side, index, frame in self._outbox:
            if frame is None:
                frames.append({"side": side, "finished": self._sides[side].finished})
            else:
                frames.append({"side": side, "index": index, "facts": frame.facts})
                buffers += [frame.mask, deflated(frame.tints)]
        self._outbox.clear()
        message = {"kind": "frames", "run": self._run_number, "frames": frames, "position": position}
        self.send(message, buffers)

    def _on_message(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        act = getattr(self, f"_do_{content.get('do')}", None)
        if act is not None:
            act(content)

    def _do_step(self, content: dict[str, Any]) -> None:
        self._go(int(content["to"]))

    def _do_run(self, content: dict[str, Any]) -> None:
        self._go(inf)

    def _do_hold(self, content: dict[str, Any]) -> None:
        self.hold()

    def _do_reset(self, content: dict[str, Any]) -> None:
        self.reset()

    def _do_sync(self, content: dict[str, Any]) -> None:
        if self._packed != self._extent():  # a page that was loaded again, or a second view
            self._send_all(self.position)

    def _do_count(self, content: dict[str, Any]) -> None:
        total = max(1, min(int(content["total"]), 10_000))
        if self._session is not None:
            self._counter.start(self._session.generator(), self._session.schema, total)

    def _do_explain(self, content: dict[str, Any]) -> None:
        side, index, token = content["side"], int(content["index"]), int(content["token"])
        if self._places is not None:
            place = {"run": self._run_number, "side": side, "index": index, "token": token}
            text = self._places.why(self._frames(side), index, [token])[token]
            self.send({"kind": "why", **place, "text": text})

    # in words

    def _side(self) -> str:
        return "constrained" if self.constrained else "free"

    def _frames(self, side: str | None = None) -> list[Frame]:
        found = self._sides.get(side or self._side())
        return found.frames if found else []

    def _about(self) -> str:
        constraint = "on" if self.constrained else "off"
        source = f"model {self.model}" if self.live else "a replay"
        return f"{source}, seed {self.seed}, constraint {constraint}"

    def _sentence(self) -> str:
        if self.errors:
            return " ".join(f"{name}: {facts['message']}" for name, facts in self.errors.items())
        frames = self._frames()
        if not frames:
            return "Nothing to show."
        said = frames[min(self.position, len(frames) - 1)].facts["say"]
        return said + (f" Output so far: {self.output()}" if self.position else "")

    def _state_for_page(self) -> dict[str, Any]:
        shared = self.traits(sync=True)
        names = [name for name in shared if shared[name].this_class is SharedState]
        state = {name: getattr(self, name) for name in names if name[0] != "_"}
        why = None if self._places is None else self._why_of_frame
        return state | {"live": False} | pack_replay(self._sides, self._run_number, why)

    def _why_of_frame(self, side: str, index: int) -> dict[int, str]:
        frame, size = self._frames(side)[index], self._vocabulary.size
        tokens = range(size) if size <= SMALL else [i for i, _ in frame.facts.get("before", [])]
        return self._places.why(self._frames(side), index, tokens) if frame.mask else {}
