"""The picture for where no widget draws: a PNG that others can read, with letters in it."""

import io
import string

import numpy as np
import pytest

from simulator import Simulator, letters, picture
from simulator.frames import Frame
from tokenmask import Vocabulary

Image = pytest.importorskip("PIL.Image")


def opened(image: np.ndarray):
    return Image.open(io.BytesIO(picture.png(image)))


@pytest.mark.parametrize("width", [1, 2, 7, 700])
def test_a_png_decodes_to_the_pixels_it_was_made_of(width):
    image = np.random.default_rng(0).integers(0, 6, (5, width)).astype(np.uint8)
    assert np.array_equal(np.asarray(opened(image)), image)


def test_every_printable_ascii_letter_is_there_and_no_two_look_alike():
    wanted = set(string.ascii_letters + string.digits + string.punctuation + " ")
    assert wanted <= set(letters._GLYPHS)
    looks = {glyph.tobytes() for glyph in letters._GLYPHS.values()}
    assert len(looks) == len(letters._GLYPHS)


def test_a_letter_without_a_glyph_is_a_box_and_text_past_the_edge_is_cut():
    image = np.zeros((9, 10), np.uint8)
    letters.write(image, "\u4e00abcdef", 0, 0, 5)
    assert image[0, :5].all() and image[:7, 0].all()


def test_allowed_masked_and_taken_differ_by_more_than_colour():
    vocabulary = Vocabulary([b"a", b"b", b"c"], eos_ids=())
    image = picture.draw(Frame({"token": 0}, bytes([0b011])), vocabulary)
    taken, allowed, masked = (image[:26, 100 * i : 100 * i + 94] for i in range(3))
    assert (taken[:4] == picture.ORANGE).all()  # framed
    assert (allowed[0] == picture.BLUE).all()  # solid
    assert 0 < (masked == picture.PALE).mean() < 0.5  # striped
    assert (masked[13] == picture.GREY).sum() > 10  # struck through


def test_a_large_vocabulary_is_a_map_with_one_cell_a_token():
    vocabulary = Vocabulary([b"%d" % i for i in range(5000)], eos_ids=())
    mask = np.zeros(5024, bool)
    mask[:2500] = True
    image = picture.draw(Frame({}, np.packbits(mask, bitorder="little").tobytes()), vocabulary)
    assert (image == picture.BLUE).sum() == 2500 * 9 == (image == picture.PALE).sum()


def test_the_sentence_is_in_the_picture_too():
    sim = Simulator(seed=3)
    assert (picture.caption(sim._sentence()) == picture.BLACK).sum() > 100
