# Registry of the models, and the writer of each one's folder: the file, its inputs, and onnxruntime's outputs.
"""Modules call `entry` for each model; `write` makes one, with data sets laid out as in ONNX's backend tests."""
import os
import random
import shutil
import zlib

import numpy
import onnx
import onnxruntime

ENTRIES = {}


def entry(name):
    """Registers a function(path) that writes a model to `path` and returns its data sets, each {name: array}."""
    def add(make):
        if name in ENTRIES:
            raise ValueError(f"two models are called {name}")
        ENTRIES[name] = make
        return make
    return add


def open_session(path, level=onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, save_as=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    if save_as is not None:
        options.optimized_model_filepath = save_as
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def seed_all(name):
    """Every model has its own random numbers, the same in each run."""
    seed = zlib.crc32(name.encode())
    random.seed(seed)
    numpy.random.seed(seed)
    try:
        import torch  # pylint: disable=import-outside-toplevel
        torch.manual_seed(seed)
    except ImportError:
        pass
    return numpy.random.default_rng(seed)


def as_message(name, value):
    """A TensorProto or SequenceProto as bytes; None for values that the backend tests' layout does not support."""
    if isinstance(value, numpy.ndarray) or numpy.isscalar(value):
        return onnx.numpy_helper.from_array(numpy.asarray(value), name).SerializeToString()
    if isinstance(value, list) and value and all(isinstance(item, numpy.ndarray) for item in value):
        return onnx.numpy_helper.from_list(value, name).SerializeToString()
    return None


def write_set(folder, index, session, feeds):
    made = os.path.join(folder, f"test_data_set_{index}")
    os.makedirs(made)
    names = [value.name for value in session.get_inputs()]
    feeds = {name: numpy.asarray(feeds[name]) for name in names}
    results = session.run(None, feeds)
    outputs = [(f"output_{i}", value.name, result)
               for i, (value, result) in enumerate(zip(session.get_outputs(), results))]
    inputs = [(f"input_{i}", name, feeds[name]) for i, name in enumerate(names)]
    for file_name, name, value in inputs + outputs:
        message = as_message(name, value)
        if message is not None:
            with open(os.path.join(made, file_name + ".pb"), "wb") as file:
                file.write(message)


def write(name, folder):
    """Makes the model and its data sets in `folder`, completely or not at all."""
    scratch = folder + ".part"
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(scratch)
    seed_all(name)
    path = os.path.join(scratch, "model.onnx")
    sets = ENTRIES[name](path)
    session = open_session(path)
    for index, feeds in enumerate(sets):
        write_set(scratch, index, session, feeds)
    os.rename(scratch, folder)


def random_inputs(path, sizes, words=50):
    """Inputs by exporters' naming: ids, masks, positions, and floats for the rest; `sizes` are values of symbols."""
    generator = numpy.random.default_rng(zlib.crc32(os.path.basename(os.path.dirname(path)).encode()))
    feeds = {}
    for value in open_session(path).get_inputs():
        shape = [size if isinstance(size, int) else eval(size, {}, _symbols(size, sizes)) for size in value.shape]
        if "mask" in value.name and "tensor(float" not in value.type:
            made = numpy.ones(shape)
        elif "position" in value.name:
            made = numpy.broadcast_to(numpy.arange(shape[-1]), shape)
        elif value.type == "tensor(bool)":
            made = numpy.full(shape, sizes.get(value.name, True))
        elif "int" in value.type:
            made = generator.integers(0, words if "ids" in value.name and "type" not in value.name else 2, shape)
        else:
            made = generator.normal(size=shape)
        feeds[value.name] = made.astype(_TYPES[value.type])
    return feeds


def _symbols(formula, sizes):
    names = [name for name in formula.replace("+", " ").replace("-", " ").replace("*", " ").split() if not name.isdigit()]
    return {name: sizes.get(name, 2) for name in names}


_TYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(double)": numpy.float64,
          "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(bool)": numpy.bool_,
          "tensor(uint8)": numpy.uint8}
