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


def reference_of(path):
    """Where the model lies whose outputs are expected of one that onnxruntime's CPU provider does not run."""
    return os.path.join(os.path.dirname(path), "reference.onnx")


def open_reference(path):
    """A session that gives the expected outputs of the model."""
    return open_session(reference_of(path) if os.path.exists(reference_of(path)) else path)


def inputs_of(path):
    """Name, shape and type of each input, as a session has them; of a model that needs no kernels."""
    model = onnx.load(path, load_external_data=False)
    initialized = {tensor.name for tensor in model.graph.initializer}
    return [_Input(value) for value in model.graph.input if value.name not in initialized]


class _Input:
    def __init__(self, value):
        tensor = value.type.tensor_type
        self.name, self.type = value.name, f"tensor({_TYPE_NAMES[tensor.elem_type]})"
        self.shape = [size.dim_param or size.dim_value for size in tensor.shape.dim]


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
    names = [value.name for value in inputs_of(os.path.join(folder, "model.onnx"))]
    feeds = {name: numpy.asarray(array) for name, array in feeds.items()}
    results = session.run(None, {value.name: feeds[value.name] for value in session.get_inputs()})
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
    session = open_reference(path)
    for index, feeds in enumerate(sets):
        write_set(scratch, index, session, feeds)
    os.rename(scratch, folder)


def random_inputs(path, sizes, words=50):
    """Inputs by exporters' naming: ids, masks, positions, and floats for the rest; `sizes` are values of symbols."""
    generator = numpy.random.default_rng(zlib.crc32(os.path.basename(os.path.dirname(path)).encode()))
    feeds = {}
    for value in inputs_of(path):
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


_TYPE_NAMES = {1: "float", 2: "uint8", 3: "int8", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16", 11: "double"}
_TYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(double)": numpy.float64,
          "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(bool)": numpy.bool_,
          "tensor(uint8)": numpy.uint8}
