"""The names of `keras.layers`. Written by tools/namespace.py."""

from klayers.input_layer import Input as Input
from klayers.input_layer import InputLayer as InputLayer
from klayers.input_spec import InputSpec as InputSpec
from klayers.layer import Layer as Layer
from klayers.layers.activations.activation import Activation as Activation
from klayers.layers.activations.prelu import PReLU as PReLU
from klayers.layers.activations.relus import ELU as ELU
from klayers.layers.activations.relus import LeakyReLU as LeakyReLU
from klayers.layers.activations.relus import ReLU as ReLU
from klayers.layers.activations.softmax import Softmax as Softmax
from klayers.layers.attention.additive_attention import AdditiveAttention as AdditiveAttention
from klayers.layers.attention.attention import Attention as Attention
from klayers.layers.attention.grouped_query_attention import (
    GroupedQueryAttention as GroupQueryAttention,
)
from klayers.layers.attention.multi_head_attention import MultiHeadAttention as MultiHeadAttention
from klayers.layers.convolutional.conv1d import Conv1D as Conv1D
from klayers.layers.convolutional.conv1d import Conv1D as Convolution1D
from klayers.layers.convolutional.conv1d_transpose import Conv1DTranspose as Conv1DTranspose
from klayers.layers.convolutional.conv1d_transpose import Conv1DTranspose as Convolution1DTranspose
from klayers.layers.convolutional.conv2d import Conv2D as Conv2D
from klayers.layers.convolutional.conv2d import Conv2D as Convolution2D
from klayers.layers.convolutional.conv2d_transpose import Conv2DTranspose as Conv2DTranspose
from klayers.layers.convolutional.conv2d_transpose import Conv2DTranspose as Convolution2DTranspose
from klayers.layers.convolutional.conv3d import Conv3D as Conv3D
from klayers.layers.convolutional.conv3d import Conv3D as Convolution3D
from klayers.layers.convolutional.conv3d_transpose import Conv3DTranspose as Conv3DTranspose
from klayers.layers.convolutional.conv3d_transpose import Conv3DTranspose as Convolution3DTranspose
from klayers.layers.convolutional.depthwise_conv1d import DepthwiseConv1D as DepthwiseConv1D
from klayers.layers.convolutional.depthwise_conv2d import DepthwiseConv2D as DepthwiseConv2D
from klayers.layers.convolutional.separable_conv1d import SeparableConv1D as SeparableConv1D
from klayers.layers.convolutional.separable_conv1d import SeparableConv1D as SeparableConvolution1D
from klayers.layers.convolutional.separable_conv2d import SeparableConv2D as SeparableConv2D
from klayers.layers.convolutional.separable_conv2d import SeparableConv2D as SeparableConvolution2D
from klayers.layers.core.dense import Dense as Dense
from klayers.layers.core.einsum_dense import EinsumDense as EinsumDense
from klayers.layers.core.embedding import Embedding as Embedding
from klayers.layers.core.identity import Identity as Identity
from klayers.layers.core.lambda_layer import Lambda as Lambda
from klayers.layers.core.masking import Masking as Masking
from klayers.layers.core.wrapper import Wrapper as Wrapper
from klayers.layers.merging.add import Add as Add
from klayers.layers.merging.add import add as add
from klayers.layers.merging.average import Average as Average
from klayers.layers.merging.average import average as average
from klayers.layers.merging.concatenate import Concatenate as Concatenate
from klayers.layers.merging.concatenate import concatenate as concatenate
from klayers.layers.merging.dot import Dot as Dot
from klayers.layers.merging.dot import dot as dot
from klayers.layers.merging.maximum import Maximum as Maximum
from klayers.layers.merging.maximum import maximum as maximum
from klayers.layers.merging.minimum import Minimum as Minimum
from klayers.layers.merging.minimum import minimum as minimum
from klayers.layers.merging.multiply import Multiply as Multiply
from klayers.layers.merging.multiply import multiply as multiply
from klayers.layers.merging.subtract import Subtract as Subtract
from klayers.layers.merging.subtract import subtract as subtract
from klayers.layers.normalization.batch_normalization import (
    BatchNormalization as BatchNormalization,
)
from klayers.layers.normalization.group_normalization import (
    GroupNormalization as GroupNormalization,
)
from klayers.layers.normalization.layer_normalization import (
    LayerNormalization as LayerNormalization,
)
from klayers.layers.normalization.rms_normalization import RMSNormalization as RMSNormalization
from klayers.layers.normalization.unit_normalization import UnitNormalization as UnitNormalization
from klayers.layers.pooling.adaptive_average_pooling import (
    AdaptiveAveragePooling1D as AdaptiveAveragePooling1D,
)
from klayers.layers.pooling.adaptive_average_pooling import (
    AdaptiveAveragePooling2D as AdaptiveAveragePooling2D,
)
from klayers.layers.pooling.adaptive_average_pooling import (
    AdaptiveAveragePooling3D as AdaptiveAveragePooling3D,
)
from klayers.layers.pooling.adaptive_max_pooling import AdaptiveMaxPooling1D as AdaptiveMaxPooling1D
from klayers.layers.pooling.adaptive_max_pooling import AdaptiveMaxPooling2D as AdaptiveMaxPooling2D
from klayers.layers.pooling.adaptive_max_pooling import AdaptiveMaxPooling3D as AdaptiveMaxPooling3D
from klayers.layers.pooling.average_pooling import AveragePooling1D as AveragePooling1D
from klayers.layers.pooling.average_pooling import AveragePooling1D as AvgPool1D
from klayers.layers.pooling.average_pooling import AveragePooling2D as AveragePooling2D
from klayers.layers.pooling.average_pooling import AveragePooling2D as AvgPool2D
from klayers.layers.pooling.average_pooling import AveragePooling3D as AveragePooling3D
from klayers.layers.pooling.average_pooling import AveragePooling3D as AvgPool3D
from klayers.layers.pooling.global_average_pooling import (
    GlobalAveragePooling1D as GlobalAveragePooling1D,
)
from klayers.layers.pooling.global_average_pooling import GlobalAveragePooling1D as GlobalAvgPool1D
from klayers.layers.pooling.global_average_pooling import (
    GlobalAveragePooling2D as GlobalAveragePooling2D,
)
from klayers.layers.pooling.global_average_pooling import GlobalAveragePooling2D as GlobalAvgPool2D
from klayers.layers.pooling.global_average_pooling import (
    GlobalAveragePooling3D as GlobalAveragePooling3D,
)
from klayers.layers.pooling.global_average_pooling import GlobalAveragePooling3D as GlobalAvgPool3D
from klayers.layers.pooling.global_max_pooling import GlobalMaxPooling1D as GlobalMaxPool1D
from klayers.layers.pooling.global_max_pooling import GlobalMaxPooling1D as GlobalMaxPooling1D
from klayers.layers.pooling.global_max_pooling import GlobalMaxPooling2D as GlobalMaxPool2D
from klayers.layers.pooling.global_max_pooling import GlobalMaxPooling2D as GlobalMaxPooling2D
from klayers.layers.pooling.global_max_pooling import GlobalMaxPooling3D as GlobalMaxPool3D
from klayers.layers.pooling.global_max_pooling import GlobalMaxPooling3D as GlobalMaxPooling3D
from klayers.layers.pooling.max_pooling import MaxPooling1D as MaxPool1D
from klayers.layers.pooling.max_pooling import MaxPooling1D as MaxPooling1D
from klayers.layers.pooling.max_pooling import MaxPooling2D as MaxPool2D
from klayers.layers.pooling.max_pooling import MaxPooling2D as MaxPooling2D
from klayers.layers.pooling.max_pooling import MaxPooling3D as MaxPool3D
from klayers.layers.pooling.max_pooling import MaxPooling3D as MaxPooling3D
from klayers.layers.preprocessing.normalization import Normalization as Normalization
from klayers.layers.preprocessing.rescaling import Rescaling as Rescaling
from klayers.layers.regularization.activity_regularization import (
    ActivityRegularization as ActivityRegularization,
)
from klayers.layers.regularization.dropout import Dropout as Dropout
from klayers.layers.regularization.dropout import SpatialDropout1D as SpatialDropout1D
from klayers.layers.regularization.dropout import SpatialDropout2D as SpatialDropout2D
from klayers.layers.regularization.dropout import SpatialDropout3D as SpatialDropout3D
from klayers.layers.regularization.noise import AlphaDropout as AlphaDropout
from klayers.layers.regularization.noise import GaussianDropout as GaussianDropout
from klayers.layers.regularization.noise import GaussianNoise as GaussianNoise
from klayers.layers.reshaping.cropping import Cropping1D as Cropping1D
from klayers.layers.reshaping.cropping import Cropping2D as Cropping2D
from klayers.layers.reshaping.cropping import Cropping3D as Cropping3D
from klayers.layers.reshaping.flatten import Flatten as Flatten
from klayers.layers.reshaping.permute import Permute as Permute
from klayers.layers.reshaping.repeat_vector import RepeatVector as RepeatVector
from klayers.layers.reshaping.reshape import Reshape as Reshape
from klayers.layers.reshaping.up_sampling import UpSampling1D as UpSampling1D
from klayers.layers.reshaping.up_sampling import UpSampling2D as UpSampling2D
from klayers.layers.reshaping.up_sampling import UpSampling3D as UpSampling3D
from klayers.layers.reshaping.zero_padding import ZeroPadding1D as ZeroPadding1D
from klayers.layers.reshaping.zero_padding import ZeroPadding2D as ZeroPadding2D
from klayers.layers.reshaping.zero_padding import ZeroPadding3D as ZeroPadding3D
from klayers.layers.rnn.bidirectional import Bidirectional as Bidirectional
from klayers.layers.rnn.gru import GRU as GRU
from klayers.layers.rnn.gru_cell import GRUCell as GRUCell
from klayers.layers.rnn.lstm import LSTM as LSTM
from klayers.layers.rnn.lstm_cell import LSTMCell as LSTMCell
from klayers.layers.rnn.rnn import RNN as RNN
from klayers.layers.rnn.simple_rnn import SimpleRNN as SimpleRNN
from klayers.layers.rnn.simple_rnn_cell import SimpleRNNCell as SimpleRNNCell
from klayers.layers.rnn.stacked import StackedRNNCells as StackedRNNCells
from klayers.layers.rnn.time_distributed import TimeDistributed as TimeDistributed
from klayers.layers.serialization import deserialize as deserialize
from klayers.layers.serialization import serialize as serialize

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
