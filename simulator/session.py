"""One run and its twin without the constraint: made step by step, kept as frames for the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .frames import Frame, Side, judge, step_frame
from .runs import GatedRun
from .words import say_start, say_step
from .workshop import Places, checker, twin

SIDES = ("constrained", "free")


@dataclass(frozen=True, slots=True)
class Settings:
    """What `tokenmask.generate` is asked for, apart from the model, the schema and the constraint."""

    prompt: str = ""
    system: str | None = None
    seed: int = 0
    temperature: float = 1.0
    max_tokens: int = 48
    budget: bool = False
    jump_forward: bool = True

    def options(self, constrained: bool) -> dict[str, Any]:
        """Keyword arguments for `generate`; budget and jump-forward need the constraint."""
        return {
            "constrained": constrained,
            "seed": self.seed,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "system": self.system,
            "budget": self.budget and constrained,
            "jump_forward": self.jump_forward and constrained,
        }


class Session:
    """Two runs of the same model, prompt and seed: constrained, and free.

    tell(side, index, frame): called in the run's thread for every new frame, and with frame None
    when that side is over.
    """

    def __init__(
        self,
        model: Any,
        schema: Any,
        compiled: Any,
        places: Places,
        settings: Settings,
        tell: Callable[[str, int, Frame | None], None],
    ) -> None:
        self.model, self.schema, self.compiled, self.settings = model, schema, compiled, settings
        self.vocabulary = model.vocabulary
        self._tell, self._check = tell, checker(schema)
        start = places.first_frame(self.vocabulary)
        start.facts["say"] = say_start(start.facts, self.vocabulary.size)
        self.sides = {name: Side([start]) for name in SIDES}
        self.runs = {name: GatedRun(self._work(name), self._hear(name)) for name in SIDES}

    @property
    def finished(self) -> bool:
        """Both sides are over."""
        return all(side.finished for side in self.sides.values())

    @property
    def length(self) -> int:
        """Steps of the longer side so far."""
        return max(len(side.frames) for side in self.sides.values()) - 1

    @property
    def head(self) -> int:
        """The last position that both sides have reached, or ended before."""
        going = [len(side.frames) - 1 for side in self.sides.values() if not side.finished]
        return min(going) if going else self.length

    @property
    def errors(self) -> list[Exception]:
        """What went wrong in the runs."""
        return [run.error for run in self.runs.values() if run.error is not None]

    def allow(self, steps: float) -> None:
        """Let both sides go on until they have made `steps` steps."""
        for run in self.runs.values():
            run.allow(steps)

    def wait(self, steps: float) -> None:
        """Block until both sides have made `steps` steps or are over."""
        for run in self.runs.values():
            run.wait(steps)

    def hold(self) -> None:
        """Both sides wait after the step they are at."""
        for run in self.runs.values():
            run.hold()

    def stop(self) -> None:
        """End both sides after the step they are at."""
        for run in self.runs.values():
            run.stop()

    def generator(self) -> Callable[..., Any]:
        """(constrained, seed, should_stop) -> trace, with a model of its own, for counting."""
        from tokenmask import generate

        model, settings = twin(self.model), self.settings

        def once(constrained: bool, seed: int, should_stop: Callable[[], bool]) -> Any:
            options = settings.options(constrained) | {"seed": seed}
            return generate(
                model, settings.prompt, self.compiled, record="none", should_stop=should_stop, **options
            )

        return once

    def _work(self, name: str) -> Callable[..., Any]:
        from tokenmask import generate

        settings, model = self.settings, twin(self.model)

        def work(on_step: Any, should_stop: Any) -> Any:
            return generate(
                model,
                settings.prompt,
                self.compiled,
                record="full",
                on_step=on_step,
                should_stop=should_stop,
                **settings.options(name == "constrained"),
            )

        return work

    def _hear(self, name: str) -> Callable[[GatedRun, Any], None]:
        side, output = self.sides[name], bytearray()

        def hear(run: GatedRun, step: Any) -> None:
            if step is None:
                side.finished = run.trace.finished if run.error is None else "error"
                self._tell(name, len(side.frames), None)
                return
            frame = frame_of(step, len(side.frames), output, self.vocabulary, self._check)
            step.probabilities = None  # the tints are kept; 200 kB a step need not be
            side.frames.append(frame)
            self._tell(name, len(side.frames) - 1, frame)

        return hear


def frame_of(step: Any, index: int, output: bytearray, vocabulary: Any, check: Any) -> Frame:
    """The frame of step `index`; its bytes are appended to `output`."""
    silent = step.token in vocabulary.eos_ids or step.token in vocabulary.special_ids
    output += b"" if silent else vocabulary.tokens[step.token]
    frame = step_frame(step, judge(bytes(output), check))
    frame.facts["say"] = say_step(frame.facts, index, vocabulary)
    return frame


def sides_of(traces: list[Any], check: Any, places: Places | None) -> dict[str, Side]:
    """Frames of runs that were made elsewhere. places: for position 0; None if unknown."""
    sides = {}
    for trace in traces:
        vocabulary, output = trace.vocabulary, bytearray()
        start = Frame({"allowed": None, "describe": "", "stack": []})
        if places is not None:
            start = places.first_frame(vocabulary)
        start.facts["say"] = say_start(start.facts, vocabulary.size)
        frames = [start]
        for step in trace.steps:
            frames.append(frame_of(step, len(frames), output, vocabulary, check))
        sides["constrained" if trace.constrained else "free"] = Side(frames, trace.finished)
    return sides
