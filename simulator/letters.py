"""Letters for the picture, five pixels wide and seven high: text in a PNG without any package.

A letter is seven rows, each a digit in base 32: its five bits are the pixels, left to right.
"""

from __future__ import annotations

import numpy as np

WIDTH, HEIGHT = 6, 9  # of a letter with the space around it

_ROWS = """
!4444404 "AAA0000 #AAVAVAA $4FKE5U4 %OP248J3 &CIK8LID '4440000 (2488842 )8422248
*04LEL40 +044V440 ,0000C48 -000V000 .00000CC /01248G0 :0CC0CC0 ;0CC0C48 <248G842 =00V0V00
>8421248 ?EH12404 @EH1DLLE [E88888E \\0G84210 ]E22222E ^4AH0000 _000000V `8420000 {2448442
|4444444 }8442448 ~008L200 ␣0000HHV
0EHJLPHE 14C4444E 2EH1248V 3V2421HE 426AIV22 5VGU11HE 668GUHHE 7V124888 8EHHEHHE 9EHHF12C
AEHHVHHH BUHHUHHU CEHGGGHE DUHHHHHU EVGGUGGV FVGGUGGG GEHGNHHE HHHHVHHH IE44444E J72222IC
KHIKOKIH LGGGGGGV MHRLLHHH NHHPLJHH OEHHHHHE PUHHUGGG QEHHHLID RUHHUKIH SFGGE11U TV444444
UHHHHHHE VHHHHHA4 WHHHLLRH XHHA4AHH YHHA4444 ZV1248GV
a00E1FHF bGGMPHHU c00EGGHE d11DJHHF e00EHVGE f698S888 g00FHF1E hGGMPHHH i40C444E j20622IC
kGGIKOKI lC44444E m00QLLHH n00MPHHH o00EHHHE p00UHUGG q00DJF11 r00MPGGG s00EGE1U t88S8896
u00HHHJD v00HHHA4 w00HHLLA x00HA4AH y00HHF1E z00V248V
"""
_UNKNOWN = "VHHHHHV"
_SAME = {"\u201c": '"', "\u201d": '"'}


def _glyphs() -> dict[str, np.ndarray]:
    """Letter -> bool [7, 5]."""
    rows = {entry[0]: entry[1:] for entry in _ROWS.split()}
    return {letter: _pixels(digits) for letter, digits in (rows | {" ": "0000000"}).items()}


def _pixels(digits: str) -> np.ndarray:
    return np.array([[int(digit, 32) >> bit & 1 for bit in (4, 3, 2, 1, 0)] for digit in digits], bool)


_GLYPHS = _glyphs()


def write(image: np.ndarray, text: str, x: int, y: int, colour: int, scale: int = 1) -> None:
    """Write a line of text into `image` (uint8 palette indices), its top left corner at x, y."""
    for i, letter in enumerate(text):
        glyph = _GLYPHS.get(_SAME.get(letter, letter), _pixels(_UNKNOWN))
        big = glyph.repeat(scale, 0).repeat(scale, 1)
        left = x + i * WIDTH * scale
        part = image[y : y + big.shape[0], left : left + big.shape[1]]
        part[big[: part.shape[0], : part.shape[1]]] = colour
