# Makes a model of a chain of matrix products with a given size of float32 weights, and inputs for it.
"""Usage: make_large.py FILE MEGABYTES   (needs onnx; writes weights to FILE.data, samples to FILE.npz)

Each layer is x + Relu(value * weights + bias), as Gemm, Gemm with transposed weights, or MatMul with Add. All weights
come from one block of random numbers, at a different offset for each layer.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

_WIDTH = 2048
_SAMPLES = 24


class _Weights:
    """Constants of the model; matrices are written to an external file."""

    def __init__(self, path):
        self.tensors = []
        self._name = os.path.basename(path)
        self._file = open(path, "wb")

    def add(self, name, array):
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=array.shape)
        if array.ndim == 2:
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", self._name), ("offset", self._file.tell()), ("length", array.nbytes)):
                tensor.external_data.add(key=key, value=str(value))
            self._file.write(array.tobytes())
        else:
            tensor.raw_data = array.tobytes()
        self.tensors.append(tensor)
        return name

    def close(self):
        self._file.close()


def _add_layer(nodes, weights, block, layer, value):
    start = layer * 40503 % (_WIDTH * _WIDTH)
    matrix = weights.add(f"weight_{layer}", block[start:start + _WIDTH * _WIDTH].reshape(_WIDTH, _WIDTH))
    bias = weights.add(f"bias_{layer}", block[start:start + _WIDTH] * np.float32(0.1))
    name = f"layer_{layer}"
    if layer % 3 < 2:
        nodes.append(helper.make_node("Gemm", [value, matrix, bias], [name + "_out"], name, transB=layer % 3))
    else:
        nodes += [helper.make_node("MatMul", [value, matrix], [name + "_product"], name),
                  helper.make_node("Add", [name + "_product", bias], [name + "_out"], name + "_add")]
    nodes += [helper.make_node("Relu", [name + "_out"], [name + "_relu"], name + "_relu"),
              helper.make_node("Add", [name + "_relu", "x"], [name + "_sum"], name + "_sum")]
    return name + "_sum"


def make(path, megabytes):
    generator = np.random.default_rng(7)
    block = generator.standard_normal(2 * _WIDTH * _WIDTH, dtype=np.float32) / np.float32(np.sqrt(_WIDTH))
    weights = _Weights(path + ".data")
    nodes, value = [], "x"
    for layer in range(max(2, round(megabytes * 1e6 / (4 * _WIDTH * _WIDTH)))):
        value = _add_layer(nodes, weights, block, layer, value)
    nodes.append(helper.make_node("Identity", [value], ["y"], "last"))
    weights.close()
    rows = ["batch", _WIDTH]
    graph = helper.make_graph(nodes, "large", [helper.make_tensor_value_info("x", TensorProto.FLOAT, rows)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, rows)], weights.tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    np.savez(path + ".npz", x=generator.standard_normal((_SAMPLES, _WIDTH), dtype=np.float32))


if __name__ == "__main__":
    make(sys.argv[1], float(sys.argv[2]))
