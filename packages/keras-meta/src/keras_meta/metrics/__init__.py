"""The names of `keras.metrics`. Written by tools/namespace.py."""

from ktrain.losses.crossentropy import binary_crossentropy as binary_crossentropy
from ktrain.losses.crossentropy import categorical_crossentropy as categorical_crossentropy
from ktrain.losses.crossentropy import kl_divergence as kl_divergence
from ktrain.losses.crossentropy import poisson as poisson
from ktrain.losses.crossentropy import (
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from ktrain.losses.focal import binary_focal_crossentropy as binary_focal_crossentropy
from ktrain.losses.focal import categorical_focal_crossentropy as categorical_focal_crossentropy
from ktrain.losses.margin import categorical_hinge as categorical_hinge
from ktrain.losses.margin import hinge as hinge
from ktrain.losses.margin import squared_hinge as squared_hinge
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
from ktrain.metrics.accuracy import Accuracy as Accuracy
from ktrain.metrics.accuracy import BinaryAccuracy as BinaryAccuracy
from ktrain.metrics.accuracy import CategoricalAccuracy as CategoricalAccuracy
from ktrain.metrics.accuracy import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from ktrain.metrics.accuracy import SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy
from ktrain.metrics.accuracy import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from ktrain.metrics.accuracy import binary_accuracy as binary_accuracy
from ktrain.metrics.accuracy import categorical_accuracy as categorical_accuracy
from ktrain.metrics.accuracy import sparse_categorical_accuracy as sparse_categorical_accuracy
from ktrain.metrics.accuracy import (
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
)
from ktrain.metrics.accuracy import top_k_categorical_accuracy as top_k_categorical_accuracy
from ktrain.metrics.auc import AUC as AUC
from ktrain.metrics.auc import PrecisionAtRecall as PrecisionAtRecall
from ktrain.metrics.auc import RecallAtPrecision as RecallAtPrecision
from ktrain.metrics.auc import SensitivityAtSpecificity as SensitivityAtSpecificity
from ktrain.metrics.auc import SpecificityAtSensitivity as SpecificityAtSensitivity
from ktrain.metrics.classification import FalseNegatives as FalseNegatives
from ktrain.metrics.classification import FalsePositives as FalsePositives
from ktrain.metrics.classification import Precision as Precision
from ktrain.metrics.classification import Recall as Recall
from ktrain.metrics.classification import TrueNegatives as TrueNegatives
from ktrain.metrics.classification import TruePositives as TruePositives
from ktrain.metrics.f_score import F1Score as F1Score
from ktrain.metrics.f_score import FBetaScore as FBetaScore
from ktrain.metrics.iou import BinaryIoU as BinaryIoU
from ktrain.metrics.iou import IoU as IoU
from ktrain.metrics.iou import MeanIoU as MeanIoU
from ktrain.metrics.iou import OneHotIoU as OneHotIoU
from ktrain.metrics.iou import OneHotMeanIoU as OneHotMeanIoU
from ktrain.metrics.lookup import deserialize as deserialize
from ktrain.metrics.lookup import get as get
from ktrain.metrics.lookup import serialize as serialize
from ktrain.metrics.margin import CategoricalHinge as CategoricalHinge
from ktrain.metrics.margin import Hinge as Hinge
from ktrain.metrics.margin import SquaredHinge as SquaredHinge
from ktrain.metrics.metric import Metric as Metric
from ktrain.metrics.probabilistic import BinaryCrossentropy as BinaryCrossentropy
from ktrain.metrics.probabilistic import CategoricalCrossentropy as CategoricalCrossentropy
from ktrain.metrics.probabilistic import KLDivergence as KLDivergence
from ktrain.metrics.probabilistic import Poisson as Poisson
from ktrain.metrics.probabilistic import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from ktrain.metrics.r2_score import R2Score as R2Score
from ktrain.metrics.reduction import Mean as Mean
from ktrain.metrics.reduction import MeanMetricWrapper as MeanMetricWrapper
from ktrain.metrics.reduction import Sum as Sum
from ktrain.metrics.regression import ConcordanceCorrelation as ConcordanceCorrelation
from ktrain.metrics.regression import CosineSimilarity as CosineSimilarity
from ktrain.metrics.regression import LogCoshError as LogCoshError
from ktrain.metrics.regression import MeanAbsoluteError as MeanAbsoluteError
from ktrain.metrics.regression import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from ktrain.metrics.regression import MeanSquaredError as MeanSquaredError
from ktrain.metrics.regression import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from ktrain.metrics.regression import PearsonCorrelation as PearsonCorrelation
from ktrain.metrics.regression import RootMeanSquaredError as RootMeanSquaredError
from ktrain.metrics.regression import concordance_correlation as concordance_correlation
from ktrain.metrics.regression import pearson_correlation as pearson_correlation

__all__ = [
    "AUC",
    "Accuracy",
    "BinaryAccuracy",
    "BinaryCrossentropy",
    "BinaryIoU",
    "CategoricalAccuracy",
    "CategoricalCrossentropy",
    "CategoricalHinge",
    "ConcordanceCorrelation",
    "CosineSimilarity",
    "F1Score",
    "FBetaScore",
    "FalseNegatives",
    "FalsePositives",
    "Hinge",
    "IoU",
    "KLDivergence",
    "LogCoshError",
    "Mean",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanIoU",
    "MeanMetricWrapper",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Metric",
    "OneHotIoU",
    "OneHotMeanIoU",
    "PearsonCorrelation",
    "Poisson",
    "Precision",
    "PrecisionAtRecall",
    "R2Score",
    "Recall",
    "RecallAtPrecision",
    "RootMeanSquaredError",
    "SensitivityAtSpecificity",
    "SparseCategoricalAccuracy",
    "SparseCategoricalCrossentropy",
    "SparseTopKCategoricalAccuracy",
    "SpecificityAtSensitivity",
    "SquaredHinge",
    "Sum",
    "TopKCategoricalAccuracy",
    "TrueNegatives",
    "TruePositives",
    "binary_accuracy",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_hinge",
    "concordance_correlation",
    "deserialize",
    "get",
    "hinge",
    "huber",
    "kl_divergence",
    "log_cosh",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "pearson_correlation",
    "poisson",
    "serialize",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "squared_hinge",
    "top_k_categorical_accuracy",
]
