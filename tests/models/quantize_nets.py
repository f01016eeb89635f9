# Small networks with features that quantizers get wrong: shared weights, bodies, data movement, recurrent layers.
import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NUMPY_TYPES = {"float32": np.float32, "float16": np.float16, "float64": np.float64, "bfloat16": ml_dtypes.bfloat16}
ONNX_TYPES = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16, "float64": TensorProto.DOUBLE,
              "bfloat16": TensorProto.BFLOAT16}


class Net:
    """Nodes and weights of one network; calling it adds a node and returns the name of its result."""

    def __init__(self, kind, seed):
        self.kind = kind
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def __call__(self, op_type, *inputs, out=None, count=1, **attributes):
        names = [out or f"v{len(self.nodes)}"] if count == 1 else [f"v{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(op_type, inputs, names, name=f"{op_type}_{len(self.nodes)}", **attributes))
        return names[0] if count == 1 else names

    def tensor(self, array, name):
        array = np.asarray(array)
        if array.dtype == np.float32:
            array = array.astype(NUMPY_TYPES[self.kind])
        if array.dtype == ml_dtypes.bfloat16:
            return helper.make_tensor(name, TensorProto.BFLOAT16, array.shape, array.tobytes(), raw=True)
        return numpy_helper.from_array(array, name)

    def constant(self, array, name=None):
        self.weights.append(self.tensor(array, name or f"w{len(self.weights)}"))
        return self.weights[-1].name

    def float32(self, values):
        """A constant that is float32 regardless of the network's type."""
        self.weights.append(numpy_helper.from_array(np.array(values, np.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def numbers(self, *shape, scale=None):
        fan_in = np.prod(shape[1:]) if len(shape) > 1 else shape[0]
        return (self.random.standard_normal(shape) * (scale or 1.5 / np.sqrt(fan_in))).astype(np.float32)

    def normal(self, *shape, scale=None):
        return self.constant(self.numbers(*shape, scale=scale))

    def conv(self, x, out_channels, in_channels, size, out=None, bias=True, **attributes):
        inputs = [x, self.normal(out_channels, in_channels, size, size)] + ([self.normal(out_channels)] if bias else [])
        pads = [size // 2] * 4
        return self("Conv", *inputs, out=out, **{"pads": pads, **attributes})

    def model(self, inputs, outputs):
        kind = ONNX_TYPES[self.kind]
        declare = lambda name, spec: helper.make_tensor_value_info(
            name, kind if spec is None or spec[0] == "float" else spec[0], spec and spec[1])
        graph = helper.make_graph(self.nodes, "g", [declare(*each) for each in inputs.items()],
                                  [declare(*each) for each in outputs.items()], self.weights)
        # Opset 22 is the first with bfloat16 convolutions.
        opset, ir_version = (22, 10) if self.kind == "bfloat16" else (17, 8)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
        inferred = onnx.shape_inference.infer_shapes(model)
        for output, known in zip(model.graph.output, inferred.graph.output):
            output.CopyFrom(known)
        return model


def _picture(size):
    return {"x": lambda random: random.standard_normal((1, 3, size, size)).astype(np.float32)}


def transposed(net):
    x = net("Relu", net.conv("x", 8, 3, 3, strides=[2, 2]))
    x = net("Relu", net("ConvTranspose", x, net.normal(8, 6, 2, 2), net.normal(6), strides=[2, 2]))
    x = net("ConvTranspose", x, net.normal(6, 2, 4, 4), group=2, strides=[2, 2], pads=[1, 1, 1, 1])
    net.conv(x, 4, 4, 3, out="y")
    return net.model({"x": ("float", ["n", 3, 16, 16])}, {"y": None}), _picture(16)


def residual(net):
    x = net("Relu", net.conv("x", 16, 3, 3))
    for _ in range(2):
        y = net("Relu", net.conv(x, 16, 16, 3))
        x = net("Relu", net("Add", x, net.conv(y, 16, 16, 3)))
    both = [net(pool, x, kernel_shape=[2, 2], strides=[2, 2]) for pool in ("MaxPool", "AveragePool")]
    c = net("HardSwish", net.conv(net("Concat", *both, axis=1), 16, 32, 1))
    gate = net("Relu", net.conv(net("GlobalAveragePool", c), 4, 16, 1))
    c = net("Mul", c, net("Sigmoid", net.conv(gate, 16, 4, 1)))
    flat = net("Flatten", net("GlobalAveragePool", c))
    net("Gemm", flat, net.normal(10, 16), net.normal(10), transB=1, out="y")
    return net.model({"x": ("float", ["n", 3, 16, 16])}, {"y": None}), _picture(16)


def resized(net):
    x = net("LeakyRelu", net.conv("x", 8, 3, 3, strides=[2, 2]), alpha=0.1)
    twice = net.float32([1, 1, 2, 2])
    near = net("Resize", x, "", twice, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    smooth = net("Resize", x, "", twice, mode="linear", coordinate_transformation_mode="half_pixel")
    c = net("Concat", near, smooth, net.conv("x", 8, 3, 3), axis=1)
    c = net.conv(net("Pad", c, net.integers(0, 0, 1, 1, 0, 0, 1, 1)), 12, 24, 3, pads=[0] * 4)
    parts = net("Split", net("DepthToSpace", c, blocksize=2), net.integers(1, 2), count=2, axis=1)
    net("Identity", parts[0], out="z")
    net.conv(net("Softmax", net.conv(parts[1], 4, 2, 3, bias=False), axis=1), 4, 4, 1, out="y", bias=False)
    return net.model({"x": ("float", ["n", 3, 16, 16])}, {"y": None, "z": None}), _picture(16)


def _tokens(count, length):
    return {"t": lambda random: random.integers(0, count, (1, length)).astype(np.int64)}


def recurrent(net):
    x = net("Transpose", net("Gather", net.normal(50, 24, scale=1), "t"), perm=[1, 0, 2])
    y = net("LSTM", x, net.normal(1, 64, 24), net.normal(1, 64, 16), net.normal(1, 128, scale=0.1), hidden_size=16, count=3)
    y = net("Transpose", net("Squeeze", y[0], net.integers(1)), perm=[1, 0, 2])
    y = net("Relu", net("Add", net("MatMul", y, net.normal(16, 32)), net.normal(32)))
    net("MatMul", y, net.normal(32, 50), out="y")
    return net.model({"t": (TensorProto.INT64, ["n", "s"])}, {"y": None}), _tokens(50, 12)


def attention(net):
    table = net.normal(60, 32, scale=1)
    x = net("Gather", table, "t")
    layer_norm = lambda value: net("LayerNormalization", value, net.constant(np.ones(32, np.float32)),
                                   net.constant(np.zeros(32, np.float32)), axis=-1)
    linear = lambda value, n, m: net("Add", net("MatMul", value, net.normal(n, m)), net.normal(m))
    for _ in range(2):
        normed = layer_norm(x)
        q, k, v = (net("Reshape", linear(normed, 32, 32), net.integers(0, -1, 4, 8)) for _ in range(3))
        q, v = (net("Transpose", each, perm=[0, 2, 1, 3]) for each in (q, v))
        scores = net("Mul", net("MatMul", q, net("Transpose", k, perm=[0, 2, 3, 1])), net.constant(np.float32(0.35)))
        mixed = net("Transpose", net("MatMul", net("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        x = net("Add", x, linear(net("Reshape", mixed, net.integers(0, -1, 32)), 32, 32))
        inner = linear(layer_norm(x), 32, 64)
        bell = net("Add", net("Erf", net("Div", inner, net.constant(np.float32(1.41421356)))), net.constant(np.float32(1)))
        x = net("Add", x, linear(net("Mul", net("Mul", inner, bell), net.constant(np.float32(0.5))), 64, 32))
    net("MatMul", x, net("Transpose", table, perm=[1, 0]), out="y")
    return net.model({"t": (TensorProto.INT64, ["n", "s"])}, {"y": None}), _tokens(60, 12)


def shared(net):
    matrix, bias, filters = net.normal(16, 16), net.normal(16), net.normal(4, 4, 3, 1)
    x = net("Relu", net("Add", net("MatMul", "x", matrix), bias))
    x = net("Relu", net("Gemm", x, matrix, bias))
    x = net("Relu", net("Gemm", x, matrix, bias, transB=1))
    x = net("Reshape", x, net.integers(0, 4, 4, 1))
    for _ in range(2):
        x = net("Relu", net("Conv", x, filters, pads=[1, 0, 1, 0]))
    net("ConvTranspose", x, filters, pads=[1, 0, 1, 0], out="y")
    return (net.model({"x": ("float", ["n", 16])}, {"y": None}),
            {"x": lambda random: random.standard_normal((3, 16)).astype(np.float32)})


def constants(net):
    def node(array):
        name = f"k{len(net.nodes)}"
        net.nodes.append(helper.make_node("Constant", [], [name], value=net.tensor(array, name)))
        return name

    x = net("Relu", net("Conv", "x", node(net.numbers(8, 3, 3, 3)), node(net.numbers(8)), pads=[1, 1, 1, 1]))
    x = net("Flatten", net("GlobalMaxPool", x))
    net("Gemm", x, node(net.numbers(8, 40)), node(net.numbers(40)), out="y")
    return net.model({"x": ("float", ["n", 3, 8, 8])}, {"y": None}), _picture(8)


def bodies(net):
    weights = net.normal(8, 8, 3, 3)
    net("Relu", net.conv("x", 8, 3, 3), out="a")
    kind = ONNX_TYPES[net.kind]
    conv = lambda x, w, y: helper.make_node("Conv", [x, w], [y], name=f"{y}_conv", pads=[1, 1, 1, 1])
    relu = lambda x, y: helper.make_node("Relu", [x], [y], name=f"{y}_relu")
    graph = lambda nodes, name, inputs, outputs, held=(): helper.make_graph(nodes, name, inputs, outputs, held)
    value = lambda name, element=kind, shape=None: helper.make_tensor_value_info(name, element, shape)
    own = net.tensor(net.numbers(8, 8, 3, 3), "own")
    branches = {
        "then_branch": graph([conv("a", "own", "t1"), relu("t1", "t2"), conv("t2", weights, "t3")], "t", [], [value("t3")], [own]),
        "else_branch": graph([conv("a", weights, "e1"), relu("e1", "e2"), conv("e2", weights, "e3")], "e", [], [value("e3")])}
    chosen = net("If", "c", **branches)
    step = graph([conv("s", weights, "l1"), relu("l1", "next"), helper.make_node("Identity", ["more"], ["again"])], "step",
                 [value("i", TensorProto.INT64, []), value("more", TensorProto.BOOL, []), value("s")],
                 [value("again", TensorProto.BOOL, []), value("next")])
    net.conv(net("Loop", net.constant(np.int64(3)), "", chosen, body=step), 2, 8, 1, out="y", bias=False)
    inputs = {"x": ("float", ["n", 3, 8, 8]), "c": (TensorProto.BOOL, [])}
    return net.model(inputs, {"y": None}), {**_picture(8), "c": lambda random: np.array(bool(random.integers(0, 2)))}


NETS = (transposed, residual, resized, recurrent, attention, shared, constants, bodies)
