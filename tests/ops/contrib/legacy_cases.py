# Random cases of com.microsoft's copies of ONNX operators and of its small functions.
import numpy

from case import Case

F32, F64, F16 = numpy.float32, numpy.float64, numpy.float16
COUNT = 30


def floats(random, shape, dtype=F32, low=-2.0, high=2.0):
    return random.uniform(low, high, tuple(shape)).astype(dtype)


def sizes(random, rank, low=1, high=6):
    return [random.randint(low, high) for _ in range(rank)]


def numbers(random, shape, dtype):
    dtype = numpy.dtype(dtype)
    if dtype == bool:
        return random.integers(0, 2, tuple(shape)).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -100, 100, tuple(shape)).astype(dtype)
    return floats(random, shape, dtype)


def pad(random):
    shape = sizes(random, random.randint(1, 4), 2, 6)
    mode = random.choice(["constant", "reflect", "edge", None])
    low = -1 if mode in ("constant", None) else 0
    pads = numpy.array([random.randint(low, 3 if mode != "reflect" else min(shape) - 1) for _ in range(2 * len(shape))], numpy.int64)
    if random.random() < 0.3:
        pads = pads.reshape(1, -1)
    value = random.choice([None, F32(1.5), numpy.array([-2], F32)]) if mode in ("constant", None) else None
    return Case("Pad", [floats(random, shape), pads, value], 1, {"mode": mode})


def trilu(random):
    dtype = random.choice([F32, F64, numpy.int64])
    shape = sizes(random, random.randint(2, 4), 0 if random.random() < 0.1 else 1)
    k = random.choice([None, numpy.int64(random.randint(-6, 6))])
    return Case("Trilu", [numbers(random, shape, dtype), k], 1, {"upper": random.choice([None, 0, 1])})


def unique(random):
    return Case("Unique", [random.integers(0, 8, random.randint(1, 30)).astype(F32)], 3)


def gather_nd(random):
    shape = sizes(random, random.randint(1, 4))
    depth = random.randint(1, len(shape))
    where = sizes(random, random.randint(0, 3), 1, 4)
    indices = numpy.stack([random.integers(-size, size, tuple(where)) for size in shape[:depth]], -1)
    dtype = random.choice([F32, F64, numpy.int32, numpy.uint8, bool])
    return Case("GatherND", [numbers(random, shape, dtype), indices.astype(random.choice([numpy.int32, numpy.int64]))], 1)


def range_case(random):
    dtype = random.choice([F32, F64, numpy.int16, numpy.int32, numpy.int64])
    start = random.randint(-10, 10)
    step = random.choice([None, 1, 2, 3, -1, -2])
    limit = start + (step or 1) * random.randint(-1, 12) + random.choice([0, 1])
    shape = random.choice([(), (1,)])
    return Case("Range", [None if each is None else numpy.full(shape, each, dtype) for each in (start, limit, step)], 1)


def grid_sample(random):
    n, c, h, w = sizes(random, 4)
    grid = floats(random, [n, *sizes(random, 2), 2], low=-1.4, high=1.4)
    attributes = {"mode": random.choice([None, "bilinear", "nearest", "bicubic"]),
                  "padding_mode": random.choice([None, "zeros", "border", "reflection"]),
                  "align_corners": random.choice([None, 0, 1])}
    return Case("GridSample", [floats(random, [n, c, h, w]), grid], 1, attributes, opset=random.choice([13, 17, 21]))


def expand_dims(random):
    shape = sizes(random, random.randint(0, 4))
    dtype = random.choice([F32, F64, numpy.int8, numpy.int64, bool, F16])
    axis = numpy.int32(random.randint(-len(shape) - 1, len(shape)))
    return Case("ExpandDims", [numbers(random, shape, dtype), axis], 1, opset=random.choice([13, 21]))


def torch_embedding(random):
    weights = floats(random, sizes(random, 2), random.choice([F32, F64, F16]))
    indices = random.integers(0, weights.shape[0], tuple(sizes(random, random.randint(0, 3)))).astype(numpy.int64)
    return Case("TorchEmbedding", [weights, indices, random.choice([None, numpy.int64(0)])], 1,
                expected=lambda: [weights[indices]])


def sample_op(random):
    return Case("SampleOp", [floats(random, sizes(random, random.randint(0, 4)))], 1)


def inverse(random):
    n = random.randint(1, 9)
    x = floats(random, [*sizes(random, random.randint(0, 2), 1, 3), n, n], low=-1, high=1) + 3 * numpy.eye(n, dtype=F32)
    return Case("Inverse", [x.astype(random.choice([F32, F64, F16]))], 1, tolerance=None if n < 5 else (4e-3, 2e-3))


def cdist(random):
    m, k, n = sizes(random, 3, 1, 12)
    dtype = random.choice([F32, F64])
    a, b = floats(random, [m, n], dtype), floats(random, [k, n], dtype)
    metric = random.choice([None, "sqeuclidean", "euclidean", "euclidean", "cityblock", "chebyshev", "canberra", "braycurtis",
                            "cosine", "hamming"])
    if metric == "hamming":
        a, b = numpy.round(a), numpy.round(b)
    x, y = a[:, None].astype(F64), b[None].astype(F64)
    distances = {"cityblock": lambda: abs(x - y).sum(-1), "chebyshev": lambda: abs(x - y).max(-1),
                 "canberra": lambda: (abs(x - y) / (abs(x) + abs(y))).sum(-1),
                 "braycurtis": lambda: abs(x - y).sum(-1) / abs(x + y).sum(-1),
                 "cosine": lambda: 1 - (x * y).sum(-1) / numpy.sqrt((x * x).sum(-1) * (y * y).sum(-1)),
                 "hamming": lambda: (x != y).mean(-1)}
    expected = (lambda: [distances[metric]().astype(dtype)]) if metric in distances else None
    return Case("CDist", [a, b], 1, {"metric": metric}, expected=expected, tolerance=(1e-4, 1e-4))


def murmur(random):
    kind = random.choice(["int32", "uint32", "int64", "uint64", "float32", "float64", "str"])
    shape = sizes(random, random.randint(0, 3))
    if kind == "str":
        texts = ["".join(random.choice("abcäöz 09") for _ in range(random.randint(0, 9))) for _ in range(int(numpy.prod(shape)))]
        x = numpy.array(texts, dtype=object).reshape(shape)
    else:
        x = numbers(random, shape, kind)
    return Case("MurmurHash3", [x], 1, {"positive": random.choice([None, 0, 1]), "seed": random.choice([None, 0, 42])})


def crop_and_resize(random):
    n, c, h, w = sizes(random, 4, 1, 7)
    regions = random.randint(1, 5)
    boxes = floats(random, [regions, 4], low=-0.1, high=1.1)
    images = random.integers(0, n, regions).astype(numpy.int32)
    return Case("CropAndResize", [floats(random, [n, c, h, w]), boxes, images, numpy.array(sizes(random, 2), numpy.int32)], 1,
                {"mode": random.choice([None, "bilinear", "nearest"]), "extrapolation_value": random.choice([None, -3.0])})


def rfft(random):
    axes = random.randint(1, 2)
    shape = [*sizes(random, random.randint(0, 2)), *[2 * random.randint(1, 6) for _ in range(axes)]]
    dtype = random.choice([F32, F64])
    x = floats(random, shape, dtype)

    def expected():
        spectrum = numpy.fft.rfftn(x.astype(F64), axes=tuple(range(-axes, 0)))
        return [numpy.stack([spectrum.real, spectrum.imag], -1).astype(dtype)]
    return Case("Rfft", [x], 1, {"signal_ndim": axes}, expected=expected, opset=random.choice([13, 17, 21]))


def irfft(random):
    axes = random.randint(1, 2)
    shape = [*sizes(random, random.randint(0, 2)), *[2 * random.randint(1, 6) for _ in range(axes)]]
    dtype = random.choice([F32, F64])
    signal = floats(random, shape, F64)
    spectrum = numpy.fft.rfftn(signal, axes=tuple(range(-axes, 0)))
    x = numpy.stack([spectrum.real, spectrum.imag], -1).astype(dtype)
    return Case("Irfft", [x], 1, {"signal_ndim": axes}, expected=lambda: [signal.astype(dtype)], tolerance=(1e-4, 1e-4))


def complex_product(op):
    def make(random):
        shape = sizes(random, random.randint(0, 3))
        other = [size if random.random() < 0.7 else 1 for size in shape[random.randint(0, len(shape)):]]
        a, b = floats(random, [*shape, 2]), floats(random, [*other, 2])

        def expected():
            x, y = (each[..., 0].astype(F64) + 1j * each[..., 1] for each in (a, b))
            product = x * (numpy.conj(y) if op == "ComplexMulConj" else y)
            return [numpy.stack([product.real, product.imag], -1).astype(F32)]
        return Case(op, [a, b], 1, expected=expected, opset=random.choice([13, 21]))
    return make


def bias_softmax(random):
    shape = sizes(random, random.randint(2, 4))
    axis = random.randint(1, len(shape) - 1)
    inner = random.choice([0, 1])
    cut = random.randint(1, axis)
    bias = [*shape[:cut], *[1] * (axis - cut), *shape[axis:]] if inner else [*[1] * cut, *shape[cut:]]
    dtype = random.choice([F32, F64])
    x, b = floats(random, shape, dtype), floats(random, bias, dtype)

    def expected():
        rows = (x.astype(F64) + b).reshape(int(numpy.prod(shape[:axis])), -1)
        e = numpy.exp(rows - rows.max(-1, keepdims=True))
        return [(e / e.sum(-1, keepdims=True)).reshape(shape).astype(dtype)]
    return Case("BiasSoftmax", [x, b], 1, {"axis": axis, "is_inner_broadcast": inner}, expected=expected,
                opset=random.choice([11, 13, 21]))


def dropout(op):
    def make(random):
        shape = sizes(random, random.randint(1, 4))
        dtype = random.choice([F32, F64])
        x = floats(random, shape, dtype)
        bias = floats(random, random.choice([shape, shape[-1:]]), dtype)
        residual = random.choice([None, floats(random, shape, dtype)])
        ratio, mode = random.choice([(None, None), (F32(0.3), None), (F32(0.3), numpy.bool_(False)), (F32(0), numpy.bool_(True))])
        wants_mask = random.random() < 0.6
        has_bias = op != "BitmaskDropout"

        def expected():
            y = x.copy()
            if has_bias:
                y = y + bias + (0 if residual is None else residual)
            mask = numpy.full(-(-x.size // 32), 2**32 - 1, numpy.uint32) if op.startswith("Bitmask") else numpy.ones(shape, bool)
            return [y, mask]
        return Case(op, [x, bias, residual, ratio, mode] if has_bias else [x, ratio, mode], [True, wants_mask], expected=expected,
                    opset=random.choice([11, 21]))
    return make


def bias_add(random):
    n, s, c = sizes(random, 3)
    x, bias, skip = floats(random, [n, s, c]), floats(random, [c]), floats(random, [n, s, c])
    return Case("BiasAdd", [x, bias, skip], 1, expected=lambda: [x + bias + skip])


def scaled_silu(random):
    x = floats(random, sizes(random, random.randint(1, 4)), random.choice([F32, F16]))
    scale = random.choice([None, F32(1.7), F16(0.5), numpy.array([2.5], F32)])
    return Case("ScaledSiLU", [x, scale], 1, {"alpha": random.choice([None, 1.0, 0.3])})


def is_all_finite(random):
    only = random.choice([None, "isnan_only", "isinf_only"])
    parts = []
    for _ in range(random.randint(1, 3)):
        x = floats(random, sizes(random, random.randint(0, 3)), random.choice([F32, F64]))
        if random.random() < 0.4:
            x.reshape(-1)[random.randint(0, x.size - 1)] = random.choice([numpy.nan, numpy.inf, -numpy.inf])
        parts.append(x)
    parts = [each.astype(parts[0].dtype) for each in parts]

    def expected():
        bad = any((only != "isinf_only" and numpy.isnan(each).any()) or (only != "isnan_only" and numpy.isinf(each).any())
                  for each in parts)
        return [numpy.array(not bad)]
    return Case("IsAllFinite", parts, 1, {only: 1} if only else {}, expected=expected, opset=random.choice([13, 21]))


def unfold(random):
    shape = sizes(random, random.randint(1, 4), 1, 8)
    axis = random.randint(0, len(shape) - 1)
    attributes = {"dim": random.choice([axis, axis - len(shape)]), "size": random.randint(1, shape[axis]),
                  "step": random.choice([None, 1, 2, 3])}
    dtype = random.choice([F32, F64, numpy.int32, numpy.uint8, bool])
    return Case("UnfoldTensor", [numbers(random, shape, dtype)], 1, attributes)


def maxpool_with_mask(random):
    rank = random.randint(1, 3)
    shape = [random.randint(1, 2), random.randint(1, 3), *sizes(random, rank, 3, 8)]
    planes = random.choice([[1, 1], shape[:2]])
    kernel = sizes(random, rank, 1, 3)
    attributes = {"kernel_shape": kernel, "strides": random.choice([[1] * rank, sizes(random, rank, 1, 2)]),
                  "pads": random.choice([None, [0] * (2 * rank), [random.randint(0, kernel[i % rank] - 1) for i in range(2 * rank)]])}
    mask = (random.random([*planes, *shape[2:]]) < 0.8).astype(numpy.int32)
    return Case("MaxpoolWithMask", [floats(random, shape), mask], 1, attributes)


def conv_transpose(random):
    group = random.randint(1, 2)
    channels, maps = group * random.randint(1, 3), random.randint(1, 3)
    kernel = sizes(random, 2, 2, 3)
    strides = sizes(random, 2, 1, 2)
    shape = [random.randint(1, 2), channels, *sizes(random, 2, 3, 6)]
    pads = numpy.array([random.randint(0, 1) for _ in range(4)], numpy.int64)
    bias = random.choice([None, floats(random, [group * maps])])
    attributes = {"group": group, "strides": strides, "kernel_shape": random.choice([None, kernel]),
                  "output_padding": random.choice([None, [random.randint(0, stride - 1) for stride in strides]])}
    return Case("ConvTransposeWithDynamicPads", [floats(random, shape), floats(random, [channels, maps, *kernel]), pads, bias], 1,
                attributes)


def sparse_product(random):
    m, k, n = sizes(random, 3)
    attributes = {"transA": random.choice([None, 0, 1]), "transB": random.choice([None, 0, 1]),
                  "alpha": random.choice([None, 1.0, 0.5])}
    a = floats(random, [k, m] if attributes["transA"] else [m, k]) * (random.random([k, m] if attributes["transA"] else [m, k]) < 0.3)
    a = a.astype(F32)
    b = floats(random, [n, k] if attributes["transB"] else [k, n])

    def expected():
        product = (a.T if attributes["transA"] else a) @ (b.T if attributes["transB"] else b)
        return [(product * (1.0 if attributes["alpha"] is None else attributes["alpha"])).astype(F32)]
    return Case("SparseToDenseMatMul", [a, b], 1, attributes, expected=expected)


def word_embedding(random):
    words, letters = random.randint(1, 5), random.randint(3, 8)
    characters, size, filters, window = random.randint(3, 9), random.randint(1, 5), random.randint(1, 6), random.randint(1, 3)
    ids = random.integers(1, characters, (words, letters)).astype(numpy.int32)
    for word in ids:
        word[random.randint(1, letters):] = 0
    inputs = [ids, floats(random, [filters, 1, window, size]), floats(random, [filters]), floats(random, [characters, size])]
    return Case("WordConvEmbedding", inputs, 1, {"conv_window_size": random.choice([None, window]),
                                                 "embedding_size": random.choice([None, filters]),
                                                 "char_embedding_size": random.choice([None, size])})


def fast_gelu_product(random):
    m, k, n = sizes(random, 3)
    x, w = floats(random, [*sizes(random, random.randint(0, 1)), m, k]), floats(random, [k, n])
    bias = random.choice([None, floats(random, [n])])

    def expected():
        z = x.astype(F64) @ w + (0 if bias is None else bias)
        return [(0.5 * z * (1 + numpy.tanh(0.7978845608028654 * (z + 0.044715 * z**3)))).astype(F32)]
    return Case("GemmFastGelu", [x, w, bias], 1, expected=expected)


def ngram_hash(random):
    dtype = random.choice([numpy.int32, numpy.int64])
    batch, length, longest, heads = random.randint(1, 2), random.randint(1, 8), random.randint(2, 4), random.randint(1, 3)
    count = (longest - 1) * heads
    ends = random.random() < 0.5
    inputs = [random.integers(0, 6, (batch, length)).astype(dtype), random.integers(-2**31, 2**31, longest).astype(dtype),
              random.integers(1, 60, count).astype(dtype), random.choice([None, random.integers(0, 6, (batch, longest - 1)).astype(dtype)]),
              random.choice([None, random.integers(0, 1000, count).astype(dtype)]), numpy.array(3, dtype) if ends else None,
              random.choice([None, numpy.sort(random.integers(0, 3, (batch, length)), 1).astype(numpy.int32)])]
    return Case("NGramHashMapping", inputs, [True, random.random() < 0.7],
                {"pad_id": 5, "n_head_per_ngram": heads, "max_ngram_size": longest, "reset_on_eos": random.choice([None, 0, 1])})


def packed_ngram_hash(random):
    dtype = random.choice([numpy.int32, numpy.int64])
    lengths = [random.randint(1, 6) for _ in range(random.randint(1, 4))]
    ids, batch, longest, heads = sum(lengths), len(lengths), random.randint(2, 4), random.randint(1, 3)
    count, ends = (longest - 1) * heads, random.random() < 0.5
    bounds = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32)
    has_segments = random.random() < 0.5
    capacity = random.choice([0, 0, 2, 4])
    inputs = [random.integers(0, 6, ids).astype(dtype), random.integers(-2**31, 2**31, longest).astype(dtype),
              random.integers(1, 60, count).astype(dtype), bounds,
              random.choice([None, random.integers(0, 6, (batch, longest - 1)).astype(dtype)]),
              random.choice([None, random.integers(0, 1000, count).astype(dtype)]), numpy.array(3, dtype) if ends else None,
              random.integers(0, 2, ids).astype(numpy.int32) if has_segments else None,
              random.integers(0, 2, (batch, longest - 1)).astype(numpy.int32) if has_segments and random.random() < 0.5 else None,
              random.integers(-1, 8, batch).astype(numpy.int32) if capacity else None]
    return Case("VarlenNGramHashMapping", inputs, [True, random.random() < 0.7, has_segments and random.random() < 0.7, capacity > 0],
                {"pad_id": 5, "n_head_per_ngram": heads, "max_ngram_size": longest, "reset_on_eos": random.choice([None, 0, 1]),
                 "state_update_capacity": capacity or None})


def attn_lstm(random):
    steps, batch, width, hidden = random.randint(1, 5), random.randint(1, 3), random.randint(1, 4), random.randint(1, 5)
    memory_steps, depth, size = random.randint(1, 5), random.randint(1, 5), random.randint(1, 6)
    direction = random.choice(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    layer = random.randint(1, 4) if random.random() < 0.5 else None
    read = width + (layer or depth)

    def draw(*shape):
        return random.normal(0, 0.5, shape).astype(numpy.float32)

    def maybe(*shape):
        return draw(*shape) if random.random() < 0.5 else None

    lengths = numpy.array([random.randint(1, steps) for _ in range(batch)], numpy.int32) if random.random() < 0.5 else None
    memory_lengths = None
    if random.random() < 0.5:
        memory_lengths = numpy.array([random.randint(1, memory_steps) for _ in range(batch)], numpy.int32)
    activations = random.choice([None, ["Sigmoid", "Tanh", "Tanh"], ["HardSigmoid", "Softsign", "Tanh"], ["Sigmoid", "Relu", "Tanh"]])
    return Case("AttnLSTM",
                [draw(steps, batch, width), draw(ways, 4 * hidden, read), draw(ways, 4 * hidden, hidden), maybe(ways, 8 * hidden),
                 lengths, maybe(ways, batch, hidden), maybe(ways, batch, hidden), maybe(ways, 3 * hidden),
                 draw(ways, hidden, size), draw(ways, depth, size), draw(ways, size), draw(batch, memory_steps, depth),
                 memory_lengths, draw(ways, depth + hidden, layer) if layer else None],
                # onnxruntime attends to the first output even if it is not wanted.
                [True, random.random() < 0.7, random.random() < 0.7],
                {"direction": direction, "hidden_size": hidden, "activations": activations and activations * ways,
                 "clip": random.choice([None, 1.5]), "input_forget": random.choice([None, 1])})


PRODUCERS = [ngram_hash, packed_ngram_hash, attn_lstm, pad, trilu, unique, gather_nd, range_case, grid_sample, expand_dims, torch_embedding, sample_op, inverse, cdist, murmur,
          crop_and_resize, rfft, irfft, complex_product("ComplexMul"), complex_product("ComplexMulConj"), bias_softmax,
          dropout("BiasDropout"), dropout("BitmaskDropout"), dropout("BitmaskBiasDropout"), bias_add, scaled_silu, is_all_finite,
          unfold, maxpool_with_mask, conv_transpose, sparse_product, word_embedding, fast_gelu_product]


def cases(random):
    for make in PRODUCERS:
        # onnxruntime refuses many of some operators.
        for _ in range(2 * COUNT if make in (scaled_silu, unfold) else COUNT):
            yield make(random)
