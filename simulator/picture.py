"""A small picture of a mask for where no widget can draw: GitHub, a fresh clone, a printed page.

PNG is written by hand (a palette image is a few lines), so that no plotting package is needed.
"""

from __future__ import annotations

import base64
import struct
import textwrap
import zlib
from typing import Any

import numpy as np

from . import letters
from .frames import SMALL, Frame

WHITE, PALE, GREY, BLUE, ORANGE, BLACK = range(6)
_COLOURS = bytes.fromhex("ffffff d8dce1 6b747e 0b63a5 b54708 1b1f24")
WIDE = 700  # pixels


def mimebundle_with_picture(bundle: Any, said: str, frame: Frame | None, vocabulary: Any) -> Any:
    """Add image/png, the sentence and the mask, to a widget's mime bundle, if there is a mask."""
    if bundle is None or frame is None or not frame.mask:
        return bundle
    picture = png(np.vstack([caption(said), draw(frame, vocabulary)]))
    return bundle[0] | {"image/png": base64.b64encode(picture).decode()}, bundle[1]


def caption(text: str) -> np.ndarray:
    """Text as lines of pixels."""
    lines = textwrap.wrap(text, WIDE // letters.WIDTH - 4)[:4]
    image = np.zeros((len(lines) * 12 + 10, WIDE), np.uint8)
    for i, line in enumerate(lines):
        letters.write(image, line, 8, 8 + 12 * i, BLACK)
    return image


def draw(frame: Frame, vocabulary: Any) -> np.ndarray:
    """The mask as pixels (palette indices): a grid of texts, or a map of a large vocabulary."""
    bits = np.frombuffer(frame.mask, np.uint8)
    allowed = np.unpackbits(bits, bitorder="little", count=vocabulary.size).astype(bool)
    if vocabulary.size <= SMALL:
        return _grid(frame, allowed, [vocabulary.text(i) for i in range(vocabulary.size)])
    return _map(frame, allowed)


def _grid(frame: Frame, allowed: np.ndarray, texts: list[str]) -> np.ndarray:
    columns, high = 7, 30
    wide = WIDE // columns
    image = np.zeros((-(-len(texts) // columns) * high + 4, WIDE), np.uint8)
    for i, text in enumerate(texts):
        cell = image[i // columns * high :, i % columns * wide :][: high - 4, : wide - 6]
        _cell(cell, text.replace(" ", "\u2423"), allowed[i], frame.facts.get("token") == i)
    return image


def _cell(cell: np.ndarray, text: str, allowed: bool, taken: bool) -> None:
    """One token: solid and bold if allowed, striped and struck through if masked."""
    high, wide = cell.shape
    if allowed:
        cell[:] = BLUE
    else:
        y, x = np.indices(cell.shape)
        cell[(x + y) % 8 < 2] = PALE
    length = len(text) * letters.WIDTH * 2
    left = max(2, (wide - length) // 2)
    letters.write(cell, text, left, 6, WHITE if allowed else GREY, 2)
    if not allowed:
        cell[high // 2, left - 2 : left + length] = GREY
    if taken:
        cell[:4], cell[-4:], cell[:, :4], cell[:, -4:] = ORANGE, ORANGE, ORANGE, ORANGE


def _map(frame: Frame, allowed: np.ndarray) -> np.ndarray:
    """A cell a token in order of id; a large one has a ring around what was taken."""
    cell = 3 if allowed.size < 60_000 else 2
    columns = WIDE // cell
    rows = -(-allowed.size // columns)
    kinds = np.full(rows * columns, WHITE, np.uint8)
    kinds[: allowed.size] = np.where(allowed, BLUE, PALE)
    image = np.zeros((rows * cell, WIDE), np.uint8)
    image[:, : columns * cell] = kinds.reshape(rows, columns).repeat(cell, 0).repeat(cell, 1)
    if "token" in frame.facts:
        top, left = (cell * n for n in divmod(frame.facts["token"], columns))
        box = image[max(0, top - 5) : top + cell + 5, max(0, left - 5) : left + cell + 5]
        box[:2], box[-2:], box[:, :2], box[:, -2:] = ORANGE, ORANGE, ORANGE, ORANGE
    return image


def png(image: np.ndarray) -> bytes:
    """Palette indices, uint8 (height, width), as a PNG file with 4 bits a pixel."""
    height, width = image.shape
    pairs = np.zeros((height, width + width % 2), np.uint8)
    pairs[:, :width] = image
    packed = pairs[:, ::2] << 4 | pairs[:, 1::2]
    rows = b"".join(b"\0" + row.tobytes() for row in packed)
    head = struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"PLTE", _COLOURS), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
