# Random cases of ONNX Runtime's fused operators, and of those on images with the channels last.
import numpy
import onnxruntime
from onnx import helper

from case import Case

F32, F64, F16 = numpy.float32, numpy.float64, numpy.float16
COUNT = 30
ACTIVATIONS = {"Relu": 0, "Tanh": 0, "Sigmoid": 0, "LeakyRelu": 1, "Clip": 2, "HardSigmoid": 2, "HardSwish": 0}


def floats(random, shape, dtype=F32, low=-1.5, high=1.5):
    return random.uniform(low, high, tuple(shape)).astype(dtype)


def sizes(random, rank, low=1, high=6):
    return [random.randint(low, high) for _ in range(rank)]


def onnx_outputs(nodes, inputs, count=1, opset=21):
    """The outputs y0, y1 … of ONNX nodes by onnxruntime's CPU provider."""
    values = {name: array for name, array in inputs.items() if array is not None}
    described = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                 for name, array in values.items()]
    outputs = [helper.make_empty_tensor_value_info(f"y{index}") for index in range(count)]
    model = helper.make_model(helper.make_graph(nodes, "g", described, outputs), opset_imports=[helper.make_opsetid("", opset)],
                              ir_version=10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, values)


def activation_of(random, names=tuple(ACTIVATIONS)):
    name = random.choice([None, *names])
    params = {0: None, 1: [0.2], 2: [-0.5, 0.7] if name == "Clip" else [0.2, 0.4]}[ACTIVATIONS.get(name, 0)]
    return name, params


def activate(x, name, params):
    functions = {None: lambda: x, "Relu": lambda: numpy.maximum(x, 0), "Tanh": lambda: numpy.tanh(x),
                 "Sigmoid": lambda: 1 / (1 + numpy.exp(-x)), "LeakyRelu": lambda: numpy.where(x < 0, x * params[0], x),
                 "Clip": lambda: numpy.clip(x, *params), "HardSigmoid": lambda: numpy.clip(params[0] * x + params[1], 0, 1),
                 "HardSwish": lambda: x * numpy.clip(x / 6 + 0.5, 0, 1)}
    return functions[name]().astype(x.dtype)


def conv_operands(random, axes=2):
    group = random.choice([1, 1, 2])
    channels, maps = group * random.randint(1, 3), group * random.randint(1, 4)
    kernel = sizes(random, axes, 1, 3)
    image = [random.randint(1, 2), channels, *sizes(random, axes, 4, 8)]
    attributes = {"group": group, "kernel_shape": random.choice([None, kernel]),
                  "strides": random.choice([None, sizes(random, axes, 1, 2)]),
                  "dilations": random.choice([None, [1] * axes]),
                  "pads": random.choice([None, sizes(random, 2 * axes, 0, 1)])}
    if attributes["pads"] is None:
        attributes["auto_pad"] = random.choice([None, "SAME_UPPER", "SAME_LOWER", "VALID"])
    return floats(random, image), floats(random, [maps, channels // group, *kernel]), random.choice([None, floats(random, [maps])]), \
        {name: value for name, value in attributes.items() if value is not None}


def convolved(x, w, b, attributes):
    node = helper.make_node("Conv", ["x", "w", "b"] if b is not None else ["x", "w"], ["y0"], **attributes)
    return onnx_outputs([node], {"x": x, "w": w, "b": b})[0]


def fused_conv(random):
    x, w, b, attributes = conv_operands(random, random.choice([1, 2, 2, 3]))
    name, params = activation_of(random)
    z = floats(random, convolved(x, w, b, attributes).shape) if random.random() < 0.4 else None
    return Case("FusedConv", [x, w, b, z], 1, {**attributes, "activation": name, "activation_params": params},
                opset=random.choice([13, 21]))


def fused_gemm(random):
    m, k, n = sizes(random, 3, 1, 8)
    name, params = activation_of(random, ("Relu", "LeakyRelu", "Tanh", "Sigmoid", "HardSigmoid"))
    attributes = {"transA": random.choice([None, 0, 1]), "transB": random.choice([None, 0, 1]),
                  "alpha": random.choice([None, 0.5]), "beta": random.choice([None, 2.0]), "activation": name or "Relu"}
    if params:
        attributes.update(zip(("activation_alpha", "activation_beta"), params))
    c = random.choice([None, floats(random, [n]), floats(random, [m, n]), floats(random, [m, 1])])
    return Case("FusedGemm", [floats(random, [k, m] if attributes["transA"] else [m, k]),
                              floats(random, [n, k] if attributes["transB"] else [k, n]), c], 1, attributes)


def fused_matmul(op):
    def make(random):
        m, k, n = sizes(random, 3)
        batch = sizes(random, random.randint(0, 2), 1, 3)
        attributes = {"transA": random.choice([None, 0, 1]), "transB": random.choice([None, 0, 1]), "alpha": random.choice([None, 0.25])}
        moves = {"transBatchA": 0, "transBatchB": 0}
        if op != "TransposeMatMul" and batch and random.random() < 0.4:
            moves = {name: random.choice([0, 1]) for name in moves}
            attributes.update(moves)
        a = floats(random, [*batch, m, k])
        b = floats(random, [*batch, k, n])

        def stored(x, transposes, moves_batch):
            if transposes:
                x = numpy.swapaxes(x, -1, -2)
            # The rows' axis comes first, then the batch axes.
            return numpy.ascontiguousarray(numpy.moveaxis(x, -2, 0) if moves_batch else x)
        inputs = [stored(a, attributes["transA"], moves["transBatchA"]), stored(b, attributes["transB"], moves["transBatchB"])]
        alpha = attributes["alpha"] or 1.0
        if op == "FusedMatMulActivation":
            name, params = activation_of(random, ("Relu", "LeakyRelu", "Tanh", "Sigmoid"))
            name = name or "Relu"
            attributes["activation"] = name
            if params:
                attributes["activation_alpha"] = params[0]
            return Case(op, inputs, 1, attributes, expected=lambda: [activate((a @ b * F32(alpha)).astype(F32), name, params)])
        return Case(op, inputs, 1, attributes, expected=lambda: [(a @ b * F32(alpha)).astype(F32)])
    return make


def erf(x):
    from math import erf as one
    return numpy.vectorize(one, otypes=[F64])(x.astype(F64))


def gelu(op):
    def make(random):
        shape = sizes(random, random.randint(1, 4))
        x = floats(random, shape, low=-4, high=4)
        bias = floats(random, shape[-1:])
        if op == "Gelu":
            return Case(op, [x], 1)
        if op == "QuickGelu":
            return Case(op, [x], 1, {"alpha": random.choice([None, 1.0, 0.5])})
        return Case(op, [x, bias if op == "BiasGelu" else random.choice([None, bias])], 1)
    return make


def skip_norm(op):
    def make(random):
        b, s, h = sizes(random, 3, 1, 8)
        x = floats(random, [b, s, h])
        skip = floats(random, random.choice([[b, s, h], [1, s, h], [s, h]]))
        gamma, beta, bias = (floats(random, [h]) for _ in range(3))
        inputs = [x, skip, gamma]
        if op == "SkipLayerNormalization":
            inputs.append(random.choice([None, beta]))
        inputs.append(random.choice([None, bias]))
        return Case(op, inputs, [True, False, False, random.random() < 0.5], {"epsilon": random.choice([1e-12, 1e-5, 0.01])},
                    tolerance=(1e-3, 1e-4))
    return make


def bias_split_gelu(random):
    n, s, d = sizes(random, 3)
    x, bias = floats(random, [n, s, 2 * d]), floats(random, [2 * d])

    def expected():
        z = (x + bias).astype(F64)
        right = z[..., d:]
        return [(z[..., :d] * 0.5 * right * (1 + erf(right / numpy.sqrt(2)))).astype(F32)]
    return Case("BiasSplitGelu", [x, bias], 1, expected=expected, opset=random.choice([13, 17, 21]))


def normalized_groups(x, gamma, beta, attributes):
    """x: N x C x H x W."""
    groups = attributes["groups"]
    rows = x.astype(F64).reshape(x.shape[0], groups, -1)
    epsilon = 1e-5 if attributes["epsilon"] is None else attributes["epsilon"]
    rows = (rows - rows.mean(-1, keepdims=True)) / numpy.sqrt(rows.var(-1, keepdims=True) + epsilon)
    y = rows.reshape(x.shape) * gamma.reshape(-1, 1, 1) + beta.reshape(-1, 1, 1)
    return y / (1 + numpy.exp(-y)) if attributes["activation"] else y


def group_norm(op):
    def make(random):
        groups = random.randint(1, 3)
        n, c, h, w = random.randint(1, 2), groups * random.randint(1, 4), *sizes(random, 2)
        last = random.choice([None, 0, 1])
        attributes = {"channels_last": last, "activation": random.choice([0, 1]), "groups": groups,
                      "epsilon": random.choice([None, 1e-5, 0.01])}
        dtype = random.choice([F32, F32, F16])
        weights = random.choice([dtype, F32])
        x = floats(random, [n, c, h, w], dtype)
        gamma, beta = floats(random, [c], weights), floats(random, [c], weights)

        def stored(image):
            return numpy.ascontiguousarray(image if last == 0 else image.transpose(0, 2, 3, 1))
        if op == "GroupNorm":
            return Case(op, [stored(x), gamma, beta], 1, attributes,
                        expected=lambda: [stored(normalized_groups(x, gamma, beta, attributes)).astype(dtype)], tolerance=(6e-3, 6e-3)
                        if dtype == F16 else (1e-4, 1e-4))
        kind = random.choice(["image", "2-D", "4-D"])
        skip = floats(random, [n, c, h, w] if kind == "image" else [n, c, 1, 1], dtype)
        bias = random.choice([None, floats(random, [c], dtype)])

        def expected():
            total = (x + skip + (0 if bias is None else bias.reshape(-1, 1, 1))).astype(dtype)
            return [stored(normalized_groups(total, gamma, beta, attributes)).astype(dtype), stored(total)]
        return Case(op, [stored(x), gamma, beta, skip.reshape(n, c) if kind == "2-D" else stored(skip), bias],
                    [True, random.random() < 0.5], attributes, expected=expected,
                    tolerance=(1e-2, 1e-2) if dtype == F16 else (1e-4, 1e-4))
    return make


def channels_last(image):
    return numpy.ascontiguousarray(numpy.moveaxis(image, 1, -1))


def nhwc_conv(op, domain="com.microsoft"):
    def make(random):
        x, w, b, attributes = conv_operands(random, random.choice([1, 2, 2]))
        name, params = activation_of(random) if op != "NhwcConv" else (None, None)
        plain = convolved(x, w, b, attributes)
        z = floats(random, plain.shape) if op == "NhwcFusedConv" and random.random() < 0.4 else None

        def expected():
            return [channels_last(activate((plain if z is None else plain + z).astype(F32), name, params))]
        more = {"activation": name, "activation_params": params} if op != "NhwcConv" else {}
        stored = channels_last(w) if op == "NhwcConv" else w
        return Case(op, [channels_last(x), stored, b, None if z is None else channels_last(z)], 1, {**attributes, **more}, domain=domain,
                    expected=expected)
    return make


def nhwc_max_pool(random):
    kernel = sizes(random, 2, 1, 3)
    attributes = {"kernel_shape": kernel, "strides": random.choice([None, sizes(random, 2, 1, 2)]),
                  "pads": random.choice([None, [random.randint(0, kernel[i % 2] - 1) for i in range(4)]]),
                  "ceil_mode": random.choice([None, 0, 1])}
    dtype = random.choice([numpy.uint8, numpy.int8])
    info = numpy.iinfo(dtype)
    x = random.integers(info.min, info.max, [random.randint(1, 2), *sizes(random, 2, 3, 8), random.randint(1, 5)]).astype(dtype)
    return Case("NhwcMaxPool", [x], 1, attributes, opset=random.choice([11, 13, 21]))


# Operators of com.ms.internal.nhwc: their operands after the image, and their attributes.
def provider_operands(random, op, image):
    channels = image[1]
    if op in ("MaxPool", "AveragePool", "LpPool"):
        return [], {"kernel_shape": [2, 2], "strides": random.choice([[1, 1], [2, 1]]), "pads": random.choice([[0] * 4, [1, 0, 0, 1]])}
    if op == "ConvTranspose":
        return [(random.uniform(-1, 1, (channels, 2, 2, 3))).astype(F32)], {"strides": random.choice([[1, 1], [2, 1]])}
    if op == "BatchNormalization":
        return [floats(random, [channels]) for _ in range(3)] + [floats(random, [channels], low=0.5)], {}
    if op == "InstanceNormalization":
        return [floats(random, [channels]) for _ in range(2)], {}
    if op == "LRN":
        return [], {"size": random.choice([1, 3]), "alpha": 0.1}
    if op in ("DepthToSpace", "SpaceToDepth"):
        return [], {"blocksize": 2}
    if op == "GridSample":
        return [floats(random, [image[0], 3, 2, 2])], {}
    return [], {"p": 2} if op == "GlobalLpPool" else {}


def provider_nhwc(op):
    def make(random):
        image = [random.randint(1, 2), 4, random.choice([2, 4]), random.choice([2, 4])]
        x = floats(random, image)
        operands, attributes = provider_operands(random, op, image)
        names = ["x", *(f"w{index}" for index in range(len(operands)))]
        node = helper.make_node(op, names, ["y0"], **attributes)
        opset = random.choice([17, 21])
        return Case(op, [channels_last(x), *operands], 1, attributes, domain="com.ms.internal.nhwc", opset=opset,
                    expected=lambda: [channels_last(onnx_outputs([node], dict(zip(names, [x, *operands])), opset=opset)[0])])
    return make


def provider_resize(random):
    x = floats(random, [1, 2, 3, 4])
    factors = [random.choice([1, 2, 3]), random.choice([1, 2])]
    plain = x.repeat(factors[0], 2).repeat(factors[1], 3)
    scales = numpy.array([1, *factors, 1], F32)
    return Case("Resize", [channels_last(x), None, scales], 1, {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
                domain="com.ms.internal.nhwc", constants=[2], expected=lambda: [channels_last(plain)])


PROVIDER_OPERATORS = ["AveragePool", "BatchNormalization", "ConvTranspose", "DepthToSpace", "GlobalAveragePool", "GlobalLpPool",
                      "GlobalMaxPool", "GridSample", "InstanceNormalization", "LRN", "LpPool", "MaxPool", "SpaceToDepth"]
PRODUCERS = [fused_conv, fused_gemm, fused_matmul("FusedMatMul"), fused_matmul("TransposeMatMul"), fused_matmul("FusedMatMulActivation"),
          gelu("Gelu"), gelu("BiasGelu"), gelu("FastGelu"), gelu("QuickGelu"), skip_norm("SkipLayerNormalization"),
          skip_norm("SkipSimplifiedLayerNormalization"), bias_split_gelu, group_norm("GroupNorm"), group_norm("SkipGroupNorm"),
          nhwc_conv("NhwcConv"), nhwc_conv("NhwcFusedConv"), nhwc_max_pool, nhwc_conv("Conv", "com.ms.internal.nhwc"), provider_resize,
          *(provider_nhwc(op) for op in PROVIDER_OPERATORS)]


def cases(random):
    for make in PRODUCERS:
        for _ in range(COUNT):
            yield make(random)
