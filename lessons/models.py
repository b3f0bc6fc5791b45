"""The model a lesson works with: the small real one, or a toy where its file is missing."""

from __future__ import annotations

from toymodel import ModelError, SmallModel, UniformModel


def small_model() -> SmallModel | UniformModel:
    """SmolLM2-135M if it is here; else say in one sentence how to get it, and give the toy model.

    Cells that show what this model says are tagged `machine`: their output is not compared.
    """
    try:
        return SmallModel.load()
    except ModelError as error:
        print(f"{error}\nThis lesson goes on with the toy model of 28 tokens.")
        return UniformModel()


def is_real(model: SmallModel | UniformModel) -> bool:
    """True for a real language model, False for a toy."""
    return isinstance(model, SmallModel)
