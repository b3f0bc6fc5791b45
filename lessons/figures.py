"""Shows a figure with a text for those who cannot see it, and one sentence that says what it shows.

The picture has a light ground of its own, so that it reads the same in JupyterLab's dark theme.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours: they can be told apart with every kind of colour vision
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


def new_figure(width: float = 7.0, height: float = 3.2):
    """A figure and its axes, in inches, with quiet defaults.

    >>> figure, axes = new_figure()
    """
    from cycler import cycler
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_prop_cycle(cycler(color=COLOURS))
    return figure, axes


def show(figure: Figure, *, alt: str, says: str) -> None:
    """Display `figure`, then print the sentence `says`. `alt` describes the picture in words."""
    from IPython.display import display

    if not alt or not says:
        raise ValueError("a figure needs `alt` (what is drawn) and `says` (what it shows)")
    picture = io.BytesIO()
    # without matplotlib's own version in the file, so that a rebuild changes nothing
    figure.savefig(picture, format="png", dpi=110, metadata={"Software": None})
    data = {
        "image/png": base64.b64encode(picture.getvalue()).decode(),
        "text/plain": f"Figure: {alt}",
    }
    metadata = {"image/png": {"alt": alt}, "alt": alt, "needs_background": "light"}
    display(data, raw=True, metadata=metadata)
    print(says)
