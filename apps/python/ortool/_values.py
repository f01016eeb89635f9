"""Values that need a conversion on their way in or out: lists, strings, sequences, maps, and types that numpy lacks."""
from __future__ import annotations

from typing import Any

import numpy

from . import _native

TENSOR, SEQUENCE, MAP = 1, 2, 3
STRING = 8
# ONNX's element types in numpy.
DTYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
          11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128"}
# Those of the package ml_dtypes, one element in each byte or two.
EXTENDED = {16: "bfloat16", 17: "float8_e4m3fn", 18: "float8_e4m3fnuz", 19: "float8_e5m2", 20: "float8_e5m2fnuz",
            24: "float8_e8m0fnu"}
_EXTENDED_TYPES = {name: number for number, name in EXTENDED.items()}


def to_value(given: Any, session: Any, name: str) -> _native.Value:
    """The value of an input that is not an array in memory as it is needed."""
    info = next((each for each in session.inputs if each.name == name), None)
    given = getattr(given, "_ort_value", given)
    if isinstance(given, dict):
        keys, values = list(given.keys()), list(given.values())
        return _native.Value.map(_tensor(numpy.asarray(keys)), _tensor(numpy.asarray(values)))
    if info is not None and info.kind == "sequence" and isinstance(given, (list, tuple)):
        return _native.Value.sequence([as_tensor(numpy.asarray(element)) for element in given])
    dtype = None if info is None or isinstance(given, numpy.ndarray) else DTYPES.get(info.element_type)
    return _tensor(numpy.asarray(given, dtype=dtype))


def to_sample(sample: Any) -> Any:
    """The inputs of a sample as values."""
    if not isinstance(sample, dict):
        raise TypeError(f"a sample is a dict of arrays by input name, not {type(sample).__name__}")
    return {name: given if isinstance(given, _native.Value) else _native.Value.view(given) or as_tensor(numpy.asarray(given))
            for name, given in sample.items()}


def as_tensor(array: numpy.ndarray) -> _native.Value:
    """A tensor over the array's memory, or a copy where that needs a conversion."""
    return _native.Value.view(array) or _tensor(array)


def _tensor(array: numpy.ndarray) -> _native.Value:
    if array.dtype.kind in "USO":
        texts = [text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape") for text in array.ravel().tolist()]
        return _native.Value.of_strings(texts, array.shape)
    if array.dtype.name in _EXTENDED_TYPES:
        return _native.Value.typed(array.tobytes(), _EXTENDED_TYPES[array.dtype.name], array.shape)
    native = numpy.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    value = _native.Value.view(native)
    if value is None:
        raise TypeError(f"an array of {array.dtype} cannot be an input: give numbers, bool or strings")
    return value


def from_value(value: _native.Value) -> Any:
    """What a run returns for a value: an array, a list, a dict, None, or the value where numpy has no such type."""
    if value.kind == SEQUENCE:
        return [from_value(element) for element in value.elements()]
    if value.kind == MAP:
        keys, values = value.elements()
        return dict(zip(from_value(keys).tolist(), from_value(values).tolist()))
    if value.kind != TENSOR:
        return None
    if value.type == STRING:
        array = numpy.empty(len(value.strings()), dtype=object)
        array[:] = value.strings()
        return array.reshape(value.shape)
    if value.type in DTYPES:
        return numpy.asarray(value)
    return _extended_array(value)


def _extended_array(value: _native.Value) -> Any:
    try:
        import ml_dtypes
        dtype = numpy.dtype(getattr(ml_dtypes, EXTENDED[value.type]))
    except (ImportError, AttributeError, KeyError):
        return value
    return numpy.frombuffer(value.tobytes(), dtype=dtype).reshape(value.shape)
