#!/usr/bin/env python3
"""Times matrix products with 4-bit and 8-bit weights against float32, in ortool and onnxruntime, in interleaved runs.

For each shape, a model of one product is quantized by `ortool quantize --mode weight-only` (int8 with DequantizeLinear,
and MatMulNBits with 4 and 8 bits) and timed with each number of rows. MatMulNBits is run unchanged and with
accuracy_level 4, which allows the rows to be quantized too. Times are in milliseconds, medians over the rounds.
usage: compare_weights_only.py PROGRAM [--shapes 4096x4096,4096x11008] [--rows 1,8,128] [--threads 1] [--rounds 5] [--folder FOLDER]
"""
import argparse
import os
import statistics
import subprocess
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from compare_peers import OnnxRuntime, Ortool

FORMS = {"int8 DequantizeLinear": [], "MatMulNBits 8": ["--quant-format", "qoperator"],
         "MatMulNBits 4": ["--quant-format", "qoperator", "--weight-type", "int4"]}


def make_float(path, k, n):
    weights = numpy.random.default_rng(1).standard_normal((k, n), dtype=numpy.float32) / numpy.float32(k ** 0.5)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "product",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", k])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", n])],
                              [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def let_rows_be_bytes(source, target):
    model = onnx.load(source)
    for node in model.graph.node:
        if node.op_type == "MatMulNBits":
            node.attribute.append(helper.make_attribute("accuracy_level", 4))
    onnx.save(model, target)


def models_of(program, folder, k, n):
    """The models by runner name: for ortool, and for onnxruntime."""
    plain = os.path.join(folder, f"{k}x{n}.onnx")
    is_made = os.path.exists(plain)
    if not is_made:
        make_float(plain, k, n)
    own, peers = {"float32": plain}, {"float32": plain}
    for number, (name, options) in enumerate(FORMS.items()):
        path = os.path.join(folder, f"{k}x{n}_{number}.onnx")
        if not is_made:
            subprocess.run([program, "quantize", plain, "-o", path, "--mode", "weight-only", "-q"] + options,
                           check=True, stdout=subprocess.DEVNULL)
        own[name] = peers[name] = path
        if name.startswith("MatMulNBits"):
            rows = path[:-5] + "_rows.onnx"
            own[name + ", accuracy 4"] = peers[name + ", accuracy 4"] = rows
            let_rows_be_bytes(path, rows)
    return own, peers


def write_rows(folder, rows, k):
    inputs = os.path.join(folder, f"inputs_{rows}_{k}")
    os.makedirs(inputs, exist_ok=True)
    x = numpy.random.default_rng(2).standard_normal((rows, k), dtype=numpy.float32)
    with open(os.path.join(inputs, "input_0.pb"), "wb") as file:
        file.write(numpy_helper.from_array(x, "x").SerializeToString())
    return inputs


def compare(arguments, folder, shape):
    k, n = (int(each) for each in shape.split("x"))
    own, peers = models_of(arguments.program, folder, k, n)
    for rows in (int(each) for each in arguments.rows.split(",")):
        inputs = write_rows(folder, rows, k)
        runners = {("ortool", name): Ortool(arguments.program, path, inputs, arguments.threads, [])
                   for name, path in own.items()}
        runners.update({("onnxruntime", name): OnnxRuntime(path, inputs, arguments.threads)
                        for name, path in peers.items()})
        blocks = {key: [] for key in runners}
        for _ in range(arguments.rounds):
            for key, runner in runners.items():
                blocks[key].append(runner.block())
        for key, runner in runners.items():
            runner.close()
            print(f"{shape} | {rows} | {key[0]} | {key[1]} | {statistics.median(blocks[key]):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--shapes", default="4096x4096,4096x11008")
    parser.add_argument("--rows", default="1,8,128")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="keep the models there, and reuse existing ones")
    arguments = parser.parse_args()
    print("shape | rows | runtime | weights | ms")
    with tempfile.TemporaryDirectory() as made:
        for shape in arguments.shapes.split(","):
            compare(arguments, arguments.folder or made, shape)


if __name__ == "__main__":
    main()
