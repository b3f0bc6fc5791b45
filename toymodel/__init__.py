"""The models that get constrained: two toys over 28 tokens, and a small real one.

Needs NumPy only until `SmallModel` is loaded.
"""

from .folders import ModelError, ModelMissing, model_folder, models_folder
from .small import SmallModel
from .toy import TOY_TOKENS, MostlyLegalModel, UniformModel, toy_vocabulary

__all__ = [
    "TOY_TOKENS",
    "ModelError",
    "ModelMissing",
    "MostlyLegalModel",
    "SmallModel",
    "UniformModel",
    "model_folder",
    "models_folder",
    "toy_vocabulary",
]
