"""The simulator: every mask of a run, and why. It is in every lesson; lesson 00 meets it first.

    from simulator import Simulator
    Simulator(seed=3)                    # toy model, toy schema, in a notebook
    Simulator(trace=trace)               # replay a run that `tokenmask.generate` made
    Simulator(seed=3).to_html("run.html")  # one file, no kernel, no network

Needs NumPy and anywidget; torch only when the small model is asked for.
"""

from .schemas import SCHEMAS
from .widget import Simulator

__all__ = ["SCHEMAS", "Simulator"]
