# Quantizes random small networks with ortool: onnxruntime loads the files and agrees with ortool.
"""usage: quantize_random.py PROGRAM [--networks 200] [--seed N] [--keep FOLDER]

Each network and its settings are derived from the seed, which is printed; --keep saves the networks that disagree. The
largest difference in an output may be 3 % of the largest magnitude, since rounding ties may round either way, and the
mean difference 0.3 %.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MOST = 0.03
MEAN = 0.003


class Network:
    """A graph that grows by one node after another."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes, self.constants, self.inputs = [], [], []

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def weights(self, *shape):
        fan = max(1, int(numpy.prod(shape[1:])))
        spread = self.rng.uniform(0.3, 2, size=[shape[0]] + [1] * (len(shape) - 1))
        return self.constant((self.rng.normal(size=shape) * spread / numpy.sqrt(fan)).astype(numpy.float32))

    def bias(self, count):
        return self.constant((self.rng.normal(size=count) * 0.2).astype(numpy.float32))

    def add(self, op_type, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op_type, list(inputs), names, name=f"n{len(self.nodes)}", **attributes))
        return names[0]

    def model(self, output, opset):
        def made(outputs):
            graph = helper.make_graph(self.nodes, "random", self.inputs, outputs, self.constants)
            return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        types = onnx.shape_inference.infer_shapes(made([])).graph.value_info
        return made([value for value in types if value.name == output])


def activation(net, choose, x):
    kind = choose.choice(["Relu", "Relu", "Clip", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "none"])
    if kind == "none":
        return x
    if kind == "Clip":
        return net.add("Clip", x, net.constant(numpy.float32(0)), net.constant(numpy.float32(choose.choice([1, 6]))))
    return net.add(kind, x)


def image_network(net, choose):
    channels, size = choose.choice([1, 2, 3, 4]), choose.choice([6, 8, 11])
    batch = choose.choice([1, 2])
    net.inputs.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, channels, size, size]))
    x = "x"
    for _ in range(choose.randint(1, 5)):
        kind = choose.choice(["conv", "conv", "conv", "depthwise", "residual", "concat", "pool", "resize", "transposed", "pad"])
        if kind in ("conv", "residual", "concat"):
            made = choose.choice([3, 4, 5, 8, 16]) if kind != "residual" else channels
            kernel = choose.choice([1, 3])
            inputs = [x, net.weights(made, channels, kernel, kernel)]
            if choose.random() < 0.7:
                inputs.append(net.bias(made))
            y = net.add("Conv", *inputs, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4)
            y = activation(net, choose, y)
            if kind == "residual":
                x = net.add(choose.choice(["Add", "Add", "Mul", "Sub"]), y, x)
                x = activation(net, choose, x)
            elif kind == "concat":
                x, channels = net.add("Concat", y, x, axis=1), made + channels
            else:
                x, channels = y, made
        elif kind == "depthwise":
            x = net.add("Conv", x, net.weights(channels, 1, 3, 3), net.bias(channels), group=channels, kernel_shape=[3, 3],
                        pads=[1, 1, 1, 1])
            x = activation(net, choose, x)
        elif kind == "pool" and size >= 4:
            op = choose.choice(["MaxPool", "AveragePool"])
            x, size = net.add(op, x, kernel_shape=[2, 2], strides=[2, 2]), size // 2
        elif kind == "resize" and size <= 8:
            scales = net.constant(numpy.array([1, 1, 2, 2], numpy.float32))
            x, size = net.add("Resize", x, "", scales, mode=choose.choice(["nearest", "linear"])), size * 2
        elif kind == "transposed" and size <= 8:
            made = choose.choice([2, 4])
            x = net.add("ConvTranspose", x, net.weights(channels, made, 2, 2), net.bias(made), strides=[2, 2])
            channels, size = made, size * 2
        elif kind == "pad":
            # A convolution follows, because onnxruntime would merge the zeros into a MaxPool, which then ignores them.
            x = net.add("Pad", x, net.constant(numpy.array([0, 0, 1, 1, 0, 0, 1, 1])))
            x = net.add("Conv", x, net.weights(channels, channels, 3, 3), kernel_shape=[3, 3])
    end = choose.choice(["image", "pooled", "flat"])
    if end == "image":
        return net.add("Conv", x, net.weights(3, channels, 1, 1), kernel_shape=[1, 1])
    if end == "pooled":
        x = net.add("Flatten", net.add("GlobalAveragePool", x))
        features = channels
    else:
        x, features = net.add("Flatten", x), channels * size * size
    x = net.add("Gemm", x, net.weights(7, features), net.bias(7), transB=1)
    return net.add("Softmax", x, axis=-1) if choose.random() < 0.5 else x


def matrix_network(net, choose):
    rows, width = choose.choice([1, 3, 5]), choose.choice([4, 8, 12, 33])
    net.inputs.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, width]))
    x = "x"
    for _ in range(choose.randint(1, 4)):
        kind = choose.choice(["gemm", "matmul", "matmul", "normalized", "residual", "heads"])
        if kind == "gemm":
            made = choose.choice([4, 9, 16])
            x, width = net.add("Gemm", x, net.weights(made, width), net.bias(made), transB=1), made
        elif kind == "matmul":
            made = choose.choice([4, 9, 32])
            x = net.add("MatMul", x, net.weights(width, made))
            x, width = (net.add("Add", x, net.bias(made)) if choose.random() < 0.7 else x), made
        elif kind == "normalized":
            scale = net.constant(net.rng.uniform(0.5, 2, width).astype(numpy.float32))
            x = net.add("LayerNormalization", x, scale, net.bias(width), axis=-1)
            continue
        elif kind == "residual":
            y = net.add("MatMul", activation(net, choose, net.add("MatMul", x, net.weights(width, 2 * width))),
                        net.weights(2 * width, width))
            x = net.add("Add", y, x)
            continue
        else:
            q, k = net.add("MatMul", x, net.weights(width, 6)), net.add("MatMul", x, net.weights(width, 6))
            scores = net.add("Softmax", net.add("MatMul", q, net.add("Transpose", k, perm=[1, 0])), axis=-1)
            x = net.add("MatMul", scores, x)
            continue
        x = activation(net, choose, x)
    return net.add("MatMul", x, net.weights(width, 5))


def sequence_network(net, choose):
    length, width, hidden, words = choose.choice([2, 4]), choose.choice([4, 6]), choose.choice([3, 5]), 11
    net.inputs.append(helper.make_tensor_value_info("words", TensorProto.INT64, [length, 1]))
    x = net.add("Gather", net.weights(words, width), "words")
    op, gates = choose.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    y = net.add(op, x, net.weights(1, gates * hidden, width), net.weights(1, gates * hidden, hidden),
                net.constant((net.rng.normal(size=(1, 2 * gates * hidden)) * 0.1).astype(numpy.float32)), hidden_size=hidden)
    y = net.add("Reshape", y, net.constant(numpy.array([length, hidden])))
    return net.add("MatMul", y, net.weights(hidden, 6))


def settings(choose, folder):
    """Options for ortool quantize."""
    mode = choose.choice(["static"] * 6 + ["dynamic", "dynamic", "weight-only", "weight-only"])
    if mode == "dynamic":
        return ["--mode", mode]
    if mode == "weight-only":
        return ["--mode", mode] + choose.choice([[], ["--block-size", "16"], ["--weight-type", "int4"]])
    options = ["--calibration-data", os.path.join(folder, "MANIFEST.json")]
    options += ["--recipe", choose.choice(["fast", "accurate"])]
    options += ["--calibration-method", choose.choice(["minmax", "mse", "entropy", "percentile", "auto", "moving-average"])]
    options += choose.choice([[], [], ["--per-tensor"]])
    options += choose.choice([[], [], ["--activation-type", "int8"], ["--activation-type", "int8", "--symmetric-activations"],
                              ["--activation-type", "uint16"], ["--activation-type", "int16"]])
    options += choose.choice([[], [], ["--weight-type", "uint8"], ["--reduce-range", "on"]])
    return options


def make(number, folder):
    choose, rng = random.Random(number), numpy.random.default_rng(number)
    net = Network(rng)
    builder = choose.choice([image_network] * 5 + [matrix_network] * 3 + [sequence_network])
    output = builder(net, choose)
    model = net.model(output, 17)
    path = os.path.join(folder, "float.onnx")
    onnx.save(model, path)
    samples = []
    for _ in range(6):
        feeds = {}
        for value in model.graph.input:
            shape = [dimension.dim_value for dimension in value.type.tensor_type.shape.dim]
            is_words = value.type.tensor_type.elem_type == TensorProto.INT64
            feeds[value.name] = (rng.integers(0, 11, shape) if is_words else
                                 (rng.normal(size=shape) + 0.3).astype(numpy.float32))
        samples.append(feeds)
    write_samples(samples, folder)
    return path, samples, settings(choose, folder)


def write_samples(samples, folder):
    rows = []
    for index, feeds in enumerate(samples):
        files = {name: os.path.join(folder, f"{index}_{name}.npy") for name in feeds}
        for name, array in feeds.items():
            numpy.save(files[name], array)
        rows.append({"inputs": files})
    with open(os.path.join(folder, "MANIFEST.json"), "w", encoding="utf-8") as file:
        json.dump({"samples": rows}, file)


def compare(program, number, folder):
    """None if both agree, else what is wrong."""
    path, samples, options = make(number, folder)
    quantized = os.path.join(folder, "quantized.onnx")
    done = subprocess.run([program, "quantize", path, "-o", quantized, "--force", *options], capture_output=True, check=False)
    told = " ".join(option for option in options if not option.startswith(folder))
    if done.returncode != 0:
        return f"{told}: quantize ends with {done.returncode}: {done.stderr.decode().strip()}"
    try:
        onnx.checker.check_model(onnx.load(quantized))
    except onnx.checker.ValidationError as error:
        return f"{told}: onnx's checker: {error}"
    session_options = onnxruntime.SessionOptions()
    session_options.log_severity_level = 4
    session_options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(quantized, session_options, providers=["CPUExecutionProvider"])
        expected = session.run(None, samples[0])[0]
    except Exception as error:  # pylint: disable=broad-except
        return f"{told}: onnxruntime: {str(error)[:200]}"
    given = [text for name in samples[0] for text in ("--input", f"{name}={os.path.join(folder, f'0_{name}.npy')}")]
    done = subprocess.run([program, "run", quantized, *given, "--output-dir", folder, "--output-format", "npy"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        return f"{told}: run ends with {done.returncode}: {done.stderr.decode().strip()}"
    found = numpy.load(os.path.join(folder, "output_0.npy"))
    if found.shape != expected.shape:
        return f"{told}: shapes {found.shape} and {expected.shape}"
    largest = max(float(numpy.abs(expected).max()), 1e-6)
    differences = numpy.abs(found.astype(float) - expected) / largest
    if differences.max() > MOST or differences.mean() > MEAN:
        return f"{told}: differs from onnxruntime by up to {differences.max():.4f}, {differences.mean():.5f} on average"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else int(time.time())
    print(f"seed {seed}", flush=True)
    wrong = 0
    for number in range(seed, seed + arguments.networks):
        with tempfile.TemporaryDirectory() as folder:
            problem = compare(arguments.program, number, folder)
            if problem is None:
                continue
            wrong += 1
            print(f"network {number} (--seed {number} --networks 1): {problem}", flush=True)
            if arguments.keep:
                shutil.copytree(folder, os.path.join(arguments.keep, str(number)), dirs_exist_ok=True)
    print(f"{arguments.networks - wrong} of {arguments.networks} networks agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
