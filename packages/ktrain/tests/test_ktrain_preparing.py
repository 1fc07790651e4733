"""Labels, norms and padded sequences, beside the installed Keras."""

import keras
import numpy as np
import pytest

from kops import ops
from ktrain.data import normalize, pad_sequences, to_categorical


@pytest.mark.parametrize(
    ("x", "num_classes"),
    [
        ([0, 2], None),
        ([[0], [2]], 4),
        (1, None),
        (np.zeros((2, 3, 1), int), 2),
        (np.eye(2, dtype=int), 3),
    ],
)
def test_to_categorical(x, num_classes):
    ours, theirs = to_categorical(x, num_classes), keras.utils.to_categorical(x, num_classes)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def test_to_categorical_of_a_tensor_is_a_tensor():
    result = to_categorical(ops.convert_to_tensor([1, 0]))
    assert ops.is_tensor(result)
    np.testing.assert_array_equal(ops.convert_to_numpy(result), [[0, 1], [1, 0]])


@pytest.mark.parametrize("x", [[3], [-1], [0.5], ["a"], [np.nan]])
def test_wrong_class_numbers(x):
    with pytest.raises(ValueError, match="`x` must hold"):
        with np.errstate(invalid="ignore"):
            to_categorical(x, 3)
    with pytest.raises(ValueError, match="`num_classes` must be given"):
        to_categorical([])
    assert to_categorical([], 3).shape == (0, 3)


def test_normalize():
    x = np.array([[3.0, 1.0], [4.0, 1.0]])
    np.testing.assert_allclose(normalize(x, axis=0), [[0.6, 0.5**0.5], [0.8, 0.5**0.5]])
    np.testing.assert_allclose(normalize([[3, 4], [0, 0]]), [[0.6, 0.8], [0, 0]])
    np.testing.assert_allclose(normalize(x, order=1), x / x.sum(-1, keepdims=True))
    tensor = normalize(ops.convert_to_tensor(x.astype("float32")), axis=0)
    assert ops.is_tensor(tensor)
    np.testing.assert_allclose(ops.convert_to_numpy(tensor), normalize(x, axis=0), rtol=1e-6)
    with pytest.raises(ValueError, match="`axis`"):
        normalize(x, axis=2)


@pytest.mark.parametrize("padding", ["pre", "post"])
@pytest.mark.parametrize("truncating", ["pre", "post"])
@pytest.mark.parametrize("maxlen", [None, 2, 5])
def test_pad_sequences(padding, truncating, maxlen):
    for sequences, dtype in (
        ([[1], [2, 3, 4], []], "int32"),
        ([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]], "float32"),
    ):
        kwargs = {"maxlen": maxlen, "padding": padding, "truncating": truncating, "value": 9}
        ours = pad_sequences(sequences, dtype=dtype, **kwargs)
        theirs = keras.utils.pad_sequences(sequences, dtype=dtype, **kwargs)
        np.testing.assert_array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype


def test_pad_sequences_of_text_and_of_nothing():
    text = pad_sequences([["a"], ["b", "c"]], dtype=object, value="-")
    assert text.tolist() == [["-", "a"], ["b", "c"]]
    assert pad_sequences([]).shape == (0, 0)


@pytest.mark.parametrize(
    ("args", "kwargs", "match"),
    [
        ((3,), {}, "`sequences`"),
        (([1, 2],), {}, "entry 0"),
        (([[1], "ab"],), {}, "entry 1"),
        (([[1]],), {"padding": "left"}, "`padding`"),
        (([[1]],), {"truncating": None}, "`truncating`"),
        (([[1]],), {"maxlen": -1}, "`maxlen`"),
        (([[1]],), {"value": "a"}, "`value`"),
        (([[[1, 2]], [[1]]],), {}, "entry 1"),
    ],
)
def test_wrong_sequences(args, kwargs, match):
    with pytest.raises(ValueError, match=match):
        pad_sequences(*args, **kwargs)
