"""The names of `keras.losses`. Written by tools/namespace.py."""

from ktrain.losses.crossentropy import BinaryCrossentropy as BinaryCrossentropy
from ktrain.losses.crossentropy import CategoricalCrossentropy as CategoricalCrossentropy
from ktrain.losses.crossentropy import (
    CategoricalGeneralizedCrossEntropy as CategoricalGeneralizedCrossEntropy,
)
from ktrain.losses.crossentropy import KLDivergence as KLDivergence
from ktrain.losses.crossentropy import Poisson as Poisson
from ktrain.losses.crossentropy import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from ktrain.losses.crossentropy import binary_crossentropy as binary_crossentropy
from ktrain.losses.crossentropy import categorical_crossentropy as categorical_crossentropy
from ktrain.losses.crossentropy import (
    categorical_generalized_cross_entropy as categorical_generalized_cross_entropy,
)
from ktrain.losses.crossentropy import kl_divergence as kl_divergence
from ktrain.losses.crossentropy import poisson as poisson
from ktrain.losses.crossentropy import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from ktrain.losses.focal import BinaryFocalCrossentropy as BinaryFocalCrossentropy
from ktrain.losses.focal import CategoricalFocalCrossentropy as CategoricalFocalCrossentropy
from ktrain.losses.focal import binary_focal_crossentropy as binary_focal_crossentropy
from ktrain.losses.focal import categorical_focal_crossentropy as categorical_focal_crossentropy
from ktrain.losses.lookup import deserialize as deserialize
from ktrain.losses.lookup import get as get
from ktrain.losses.lookup import serialize as serialize
from ktrain.losses.loss import Loss as Loss
from ktrain.losses.margin import CategoricalHinge as CategoricalHinge
from ktrain.losses.margin import Hinge as Hinge
from ktrain.losses.margin import SquaredHinge as SquaredHinge
from ktrain.losses.margin import categorical_hinge as categorical_hinge
from ktrain.losses.margin import hinge as hinge
from ktrain.losses.margin import squared_hinge as squared_hinge
from ktrain.losses.metric_learning import Circle as Circle
from ktrain.losses.metric_learning import circle as circle
from ktrain.losses.overlap import Dice as Dice
from ktrain.losses.overlap import Tversky as Tversky
from ktrain.losses.overlap import dice as dice
from ktrain.losses.overlap import tversky as tversky
from ktrain.losses.regression import CosineSimilarity as CosineSimilarity
from ktrain.losses.regression import Huber as Huber
from ktrain.losses.regression import LogCosh as LogCosh
from ktrain.losses.regression import MeanAbsoluteError as MeanAbsoluteError
from ktrain.losses.regression import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from ktrain.losses.regression import MeanSquaredError as MeanSquaredError
from ktrain.losses.regression import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from ktrain.losses.regression import cosine_similarity as cosine_similarity
from ktrain.losses.regression import huber as huber
from ktrain.losses.regression import log_cosh as log_cosh
from ktrain.losses.regression import mean_absolute_error as mean_absolute_error
from ktrain.losses.regression import (
    mean_absolute_percentage_error as mean_absolute_percentage_error,
)
from ktrain.losses.regression import mean_squared_error as mean_squared_error
from ktrain.losses.regression import (
    mean_squared_logarithmic_error as mean_squared_logarithmic_error,
)
from ktrain.losses.sequence import CTC as CTC
from ktrain.losses.sequence import ctc as ctc

__all__ = [
    "CTC",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy",
    "CategoricalHinge",
    "Circle",
    "CosineSimilarity",
    "Dice",
    "Hinge",
    "Huber",
    "KLDivergence",
    "LogCosh",
    "Loss",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Poisson",
    "SparseCategoricalCrossentropy",
    "SquaredHinge",
    "Tversky",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy",
    "categorical_hinge",
    "circle",
    "cosine_similarity",
    "ctc",
    "deserialize",
    "dice",
    "get",
    "hinge",
    "huber",
    "kl_divergence",
    "log_cosh",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "poisson",
    "serialize",
    "sparse_categorical_crossentropy",
    "squared_hinge",
    "tversky",
]
