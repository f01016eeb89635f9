"""Inputs for whole models: the published test data, or generated ones."""
import os

import numpy

import compare_peers

_TYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(double)": numpy.float64,
          "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(uint8)": numpy.uint8,
          "tensor(int8)": numpy.int8, "tensor(bool)": numpy.bool_}


def random_inputs(value):
    """Small numbers, so that they are valid as indices; free dimensions are 1."""
    source, kind = numpy.random.default_rng(0), _TYPES[value.type]
    shape = [size if isinstance(size, int) else 1 for size in value.shape]
    if numpy.issubdtype(kind, numpy.floating):
        return source.random(shape).astype(kind)
    return source.integers(0, 2, shape).astype(kind)


def inputs_of(session, model):
    """The inputs in test_data_set_0 next to the model if present, else generated ones."""
    folder = os.path.join(os.path.dirname(model), "test_data_set_0")
    if os.path.isdir(folder):
        return compare_peers.read_inputs(folder, [(value.name, value.type, value.shape) for value in session.get_inputs()])
    return {value.name: random_inputs(value) for value in session.get_inputs()}
