"""A small picture of a mask for where no widget can draw: GitHub, a fresh clone, a printed page.

PNG is written by hand (a palette image is a few lines), so that no plotting package is needed.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np

from .frames import Frame

WHITE, MASKED, ALLOWED, TAKEN = range(4)
_COLOURS = bytes([255, 255, 255, 176, 176, 176, 0, 114, 178, 213, 94, 0])


def mimebundle_with_picture(bundle: Any, frames: list[Frame], position: int, vocabulary: Any) -> Any:
    """Add image/png to a widget's mime bundle, if there is a mask to draw."""
    if bundle is None or not frames:
        return bundle
    frame = frames[min(position, len(frames) - 1)]
    if not frame.mask:
        return bundle
    image = draw(frame, vocabulary.size)
    return bundle[0] | {"image/png": base64.b64encode(png(image)).decode()}, bundle[1]


def draw(frame: Frame, size: int) -> np.ndarray:
    """The mask as pixels (uint8 palette indices): allowed full, masked hatched, taken framed."""
    bits = np.unpackbits(np.frombuffer(frame.mask, np.uint8), bitorder="little", count=size)
    big = size <= 64
    columns, cell = (14, 24) if big else (int(np.ceil(np.sqrt(2 * size))), 3 if size < 60_000 else 2)
    rows = -(-size // columns)
    image = np.zeros((rows * cell, columns * cell), np.uint8)
    for kind, ids in ((MASKED, np.flatnonzero(bits == 0)), (ALLOWED, np.flatnonzero(bits))):
        tile = _tile(kind, cell)
        if kind == MASKED or ids.size:
            grid = np.zeros(rows * columns, bool)
            grid[ids] = True
            where = grid.reshape(rows, columns).repeat(cell, 0).repeat(cell, 1)
            image[where] = np.tile(tile, (rows, columns))[where]
    if "token" in frame.facts:
        _frame_cell(image, frame.facts["token"], columns, cell)
    return image


def _tile(kind: int, cell: int) -> np.ndarray:
    """One cell: a filled square, or stripes for a masked one, with a gap at two sides."""
    tile = np.full((cell, cell), kind, np.uint8)
    if kind == MASKED and cell > 8:
        y, x = np.indices((cell, cell))
        tile[(x + y) % 6 > 1] = WHITE
    if cell > 2:
        gap = max(1, cell // 12)
        tile[-gap:], tile[:, -gap:] = WHITE, WHITE
    return tile


def _frame_cell(image: np.ndarray, token: int, columns: int, cell: int) -> None:
    width = max(2, cell // 8)
    top, left = (token // columns) * cell, (token % columns) * cell
    out = 0 if cell > 8 else 4
    box = image[max(0, top - out) : top + cell + out, max(0, left - out) : left + cell + out]
    box[:width], box[-width:], box[:, :width], box[:, -width:] = TAKEN, TAKEN, TAKEN, TAKEN


def png(image: np.ndarray) -> bytes:
    """Palette indices 0 to 3, uint8 (height, width), as a PNG file with 2 bits a pixel."""
    height, width = image.shape
    padded = np.zeros((height, -(-width // 4) * 4), np.uint8)
    padded[:, :width] = image
    quads = padded.reshape(height, -1, 4)
    packed = (quads << np.array([6, 4, 2, 0], np.uint8)).sum(axis=2, dtype=np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in packed)
    head = struct.pack(">IIBBBBB", width, height, 2, 3, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"PLTE", _COLOURS), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
