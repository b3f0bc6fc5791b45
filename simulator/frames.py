"""A run as the view gets it: one frame a step, small enough to send while the model runs.

Frame i is what is to be seen at position i: frame 0 the mask before the first token, frame i > 0
the mask that step i was taken under and the token that it took. A frame is a dict of plain values
(JSON), a mask (packed bits, token i is bit i % 8 of byte i // 8) and tints (a byte a token).
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SMALL = 64  # tokens; a vocabulary of at most so many is shown, listed and explained whole
TINTS = 64  # tint 63 is probability 1, each step down divides it by 10 ** (1 / 8), about 1.33

Why = Callable[[str, int], dict[int, str]]


@dataclass(slots=True)
class Frame:
    """One position of one run. `facts` is JSON-able; mask and tints are bytes, empty if unknown."""

    facts: dict[str, Any]
    mask: bytes = b""
    tints: bytes = b""


@dataclass(slots=True)
class Side:
    """The frames of one run, with or without the constraint, and how it ended ("" = it goes on)."""

    frames: list[Frame] = field(default_factory=list)
    finished: str = ""


def tint(probabilities: np.ndarray) -> bytes:
    """Probabilities to bytes 0..63, even steps of the logarithm; 0 is 1.3e-8 or less.

    >>> list(tint(np.array([1.0, 0.1, 0.0])))
    [63, 55, 0]
    """
    with np.errstate(divide="ignore"):
        levels = TINTS - 1 + 8 * np.log10(probabilities.astype(np.float32, copy=False))
    return np.clip(np.rint(levels), 0, TINTS - 1).astype(np.uint8).tobytes()


def mask_bytes(words: np.ndarray | None) -> bytes:
    """32-bit words to the bytes of the same bits, whatever the machine's byte order."""
    return b"" if words is None else np.ascontiguousarray(words).view(np.uint32).astype("<u4").tobytes()


def count_bits(mask: bytes) -> int:
    """How many tokens a mask allows."""
    return int.from_bytes(mask, "little").bit_count()


def first_frame(mask: np.ndarray | None, describe: str, stack: list[str]) -> Frame:
    """Position 0: nothing is drawn yet."""
    bits = mask_bytes(mask)
    return Frame(_state(bits, describe, stack), bits)


def step_frame(step: Any, verdict: dict[str, Any], record: bool = True) -> Frame:
    """The frame of a `tokenmask.Step`. `verdict` is what `judge` says of the output up to here."""
    bits = mask_bytes(step.mask)
    facts = _state(bits, step.describe, step.stack)
    facts |= {
        "token": int(step.token),
        "forced": bool(step.forced),
        "legal": bool(step.legal),
        "removed": _short(_forbidden(step, bits)),
        "before": [[int(i), _short(p)] for i, p in _likeliest(step)],
        "after": [[int(i), _short(p)] for i, p in step.top_after],
        "verdict": verdict,
    }
    seen = record and step.probabilities is not None and not step.forced
    return Frame(facts, bits, tint(step.probabilities) if seen else b"")


def _forbidden(step: Any, bits: bytes) -> float:
    """Probability on masked tokens: taken away with the constraint on, left there with it off."""
    p = step.probabilities
    if step.removed or step.forced or p is None or not bits:
        return step.removed
    allowed = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little", count=len(p))
    return max(0.0, 1.0 - float(p[allowed.view(bool)].sum()))


def _likeliest(step: Any) -> list[tuple[int, float]]:
    """The ten likeliest tokens and the one taken; all of a small vocabulary: exact values for each."""
    p = step.probabilities
    if p is None or step.forced:
        return step.top_before
    if len(p) <= SMALL:
        return [(int(i), p[i]) for i in np.argsort(-p, kind="stable")]
    listed = [i for i, _ in step.top_before]
    return step.top_before + ([] if step.token in listed else [(step.token, p[step.token])])


def _state(bits: bytes, describe: str, stack: list[str]) -> dict[str, Any]:
    allowed = count_bits(bits) if bits else None
    return {"allowed": allowed, "describe": describe, "stack": [str(item) for item in stack]}


def _short(p: float) -> float:
    return float(f"{float(p):.6g}")


def judge(text: bytes, check: Callable[[Any], str | None]) -> dict[str, Any]:
    """Does the output parse, does it validate, and if not, why not.

    check: a parsed document to None if it is valid, else what is wrong with it.
    """
    try:
        document = json.loads(text.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return {"parses": False, "validates": False, "why": _reason(error)}
    wrong = check(document)
    return {"parses": True, "validates": wrong is None, "why": wrong or ""}


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it ends in the middle of a character"
    return str(error)


def pack_vocabulary(tokens: list[bytes]) -> bytes:
    """All token bytes, deflated: the count (4 bytes), three planes of lengths, the bytes themselves.

    Plane k holds byte k of every length, lowest first: so the zeros stand together.
    """
    lengths = np.array([len(token) for token in tokens], dtype="<u4")
    planes = lengths.view(np.uint8).reshape(-1, 4).T[:3].tobytes()
    return zlib.compress(len(tokens).to_bytes(4, "little") + planes + b"".join(tokens), 9)


def pack_replay(sides: dict[str, Side], run: int, why: Why | None = None) -> dict[str, bytes]:
    """Whole runs as three traits: facts as JSON, all masks, both deflated, and all tints.

    A mask that comes again is packed once: each frame's "mask" is its number, -1 for none. Tints
    are deflated frame by frame, "tint_size" bytes each, so that the view need not wait for all.
    run: a number that tells one run from the next. why(side, index): what to say of which token,
    for a page that has no kernel to ask.
    """
    masks: dict[bytes, int] = {}
    tints: list[bytes] = []
    facts: dict[str, Any] = {"run": run, "sides": {}}
    for name, side in sides.items():
        listed = [_listed(f, masks, tints, why and why(name, i)) for i, f in enumerate(side.frames)]
        facts["sides"][name] = {"finished": side.finished, "frames": listed}
    return {
        "replay_facts": zlib.compress(json.dumps(facts).encode(), 9),
        "replay_masks": zlib.compress(b"".join(masks), 9),
        "replay_tints": b"".join(tints),
    }


def deflated(tints: bytes) -> bytes:
    """Tints to send: they are many and hardly get smaller, so no time is spent on them."""
    return zlib.compress(tints, 1) if tints else b""


def _listed(
    frame: Frame, masks: dict[bytes, int], tints: list[bytes], why: dict[int, str] | None
) -> dict[str, Any]:
    number = masks.setdefault(frame.mask, len(masks)) if frame.mask else -1
    tints.append(deflated(frame.tints))
    packed = {"mask": number, "tint_size": len(tints[-1])}
    return frame.facts | packed | ({"why": why} if why else {})
