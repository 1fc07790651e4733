"""All layers, under the names of the Keras API."""

from __future__ import annotations

from klayers.input_layer import Input, InputLayer
from klayers.input_spec import InputSpec
from klayers.layer import Layer
from klayers.layers.activations.activation import Activation
from klayers.layers.activations.prelu import PReLU
from klayers.layers.activations.relus import ELU, LeakyReLU, ReLU
from klayers.layers.activations.softmax import Softmax
from klayers.layers.attention.additive_attention import AdditiveAttention
from klayers.layers.attention.attention import Attention
from klayers.layers.attention.grouped_query_attention import GroupedQueryAttention
from klayers.layers.attention.multi_head_attention import MultiHeadAttention
from klayers.layers.convolutional.conv1d import Conv1D
from klayers.layers.convolutional.conv1d_transpose import Conv1DTranspose
from klayers.layers.convolutional.conv2d import Conv2D
from klayers.layers.convolutional.conv2d_transpose import Conv2DTranspose
from klayers.layers.convolutional.conv3d import Conv3D
from klayers.layers.convolutional.conv3d_transpose import Conv3DTranspose
from klayers.layers.convolutional.depthwise_conv1d import DepthwiseConv1D
from klayers.layers.convolutional.depthwise_conv2d import DepthwiseConv2D
from klayers.layers.convolutional.separable_conv1d import SeparableConv1D
from klayers.layers.convolutional.separable_conv2d import SeparableConv2D
from klayers.layers.core.dense import Dense
from klayers.layers.core.einsum_dense import EinsumDense
from klayers.layers.core.embedding import Embedding
from klayers.layers.core.identity import Identity
from klayers.layers.core.lambda_layer import Lambda
from klayers.layers.core.masking import Masking
from klayers.layers.core.wrapper import Wrapper
from klayers.layers.merging.add import Add, add
from klayers.layers.merging.average import Average, average
from klayers.layers.merging.concatenate import Concatenate, concatenate
from klayers.layers.merging.dot import Dot, dot
from klayers.layers.merging.maximum import Maximum, maximum
from klayers.layers.merging.minimum import Minimum, minimum
from klayers.layers.merging.multiply import Multiply, multiply
from klayers.layers.merging.subtract import Subtract, subtract
from klayers.layers.normalization.batch_normalization import BatchNormalization
from klayers.layers.normalization.group_normalization import GroupNormalization
from klayers.layers.normalization.layer_normalization import LayerNormalization
from klayers.layers.normalization.rms_normalization import RMSNormalization
from klayers.layers.normalization.unit_normalization import UnitNormalization
from klayers.layers.pooling.adaptive_average_pooling import (
    AdaptiveAveragePooling1D,
    AdaptiveAveragePooling2D,
    AdaptiveAveragePooling3D,
)
from klayers.layers.pooling.adaptive_max_pooling import (
    AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D,
    AdaptiveMaxPooling3D,
)
from klayers.layers.pooling.average_pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
)
from klayers.layers.pooling.global_average_pooling import (
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
)
from klayers.layers.pooling.global_max_pooling import (
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
)
from klayers.layers.pooling.max_pooling import MaxPooling1D, MaxPooling2D, MaxPooling3D
from klayers.layers.preprocessing.normalization import Normalization
from klayers.layers.preprocessing.rescaling import Rescaling
from klayers.layers.regularization.activity_regularization import ActivityRegularization
from klayers.layers.regularization.dropout import (
    Dropout,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from klayers.layers.regularization.noise import AlphaDropout, GaussianDropout, GaussianNoise
from klayers.layers.reshaping.cropping import Cropping1D, Cropping2D, Cropping3D
from klayers.layers.reshaping.flatten import Flatten
from klayers.layers.reshaping.permute import Permute
from klayers.layers.reshaping.repeat_vector import RepeatVector
from klayers.layers.reshaping.reshape import Reshape
from klayers.layers.reshaping.up_sampling import UpSampling1D, UpSampling2D, UpSampling3D
from klayers.layers.reshaping.zero_padding import ZeroPadding1D, ZeroPadding2D, ZeroPadding3D
from klayers.layers.rnn.bidirectional import Bidirectional
from klayers.layers.rnn.gru import GRU
from klayers.layers.rnn.gru_cell import GRUCell
from klayers.layers.rnn.lstm import LSTM
from klayers.layers.rnn.lstm_cell import LSTMCell
from klayers.layers.rnn.rnn import RNN
from klayers.layers.rnn.simple_rnn import SimpleRNN
from klayers.layers.rnn.simple_rnn_cell import SimpleRNNCell
from klayers.layers.rnn.stacked import StackedRNNCells
from klayers.layers.rnn.time_distributed import TimeDistributed
from klayers.layers.serialization import deserialize, serialize

AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
Convolution1D = Conv1D
Convolution1DTranspose = Conv1DTranspose
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
GroupQueryAttention = GroupedQueryAttention
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D

__all__ = [
    "ELU",
    "GRU",
    "LSTM",
    "RNN",
    "Activation",
    "ActivityRegularization",
    "AdaptiveAveragePooling1D",
    "AdaptiveAveragePooling2D",
    "AdaptiveAveragePooling3D",
    "AdaptiveMaxPooling1D",
    "AdaptiveMaxPooling2D",
    "AdaptiveMaxPooling3D",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Convolution3D",
    "Convolution3DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Dot",
    "Dropout",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "GroupQueryAttention",
    "GroupedQueryAttention",
    "Identity",
    "Input",
    "InputLayer",
    "InputSpec",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "StackedRNNCells",
    "Subtract",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "Wrapper",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
    "add",
    "average",
    "concatenate",
    "deserialize",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "serialize",
    "subtract",
]
