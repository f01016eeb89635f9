# Random cases of com.microsoft's QOrdered operators and GemmFloat8; numpy is the reference, since onnxruntime computes them on
# NVIDIA's processors alone.
import ml_dtypes
import numpy as np
from case import Case

F32 = np.float32
_ROUNDING = (0, 1)  # a sum that is nearly half way between two codes
COL, ROW, COL32, COL4_4R2_8C, COL32_2R_4R4 = range(5)


def codes(random, *shape, low=-127, high=127):
    return random.integers(low, high + 1, shape).astype(np.int8)


def scale_of(random, low=0.01, high=0.1):
    return np.array(random.uniform(low, high), F32)


def rounded(x):
    return np.clip(np.rint(x), -128, 127).astype(np.int8)


def address(row, column, rows, columns, order):
    """Where an element of a matrix lies, as cuBLASLt's documentation and FasterTransformer's kernels have it."""
    if order == COL:
        return column * rows + row
    if order == ROW:
        return row * columns + column
    base = (column >> 5) * rows * 32
    if order == COL32:
        return base + row * 32 + (column & 31)
    if order == COL4_4R2_8C:
        inner = (((((row >> 3) << 3) + ((row & 1) << 2) + ((column & 31) >> 3)) << 5)
                 + (((4 if (column & 7) >= 4 else 0) + ((row & 7) >> 1)) << 2) + (column & 3))
        return base + inner
    within = row & 31
    return base + ((row >> 5) << 10) + ((((((within & 7) >> 1) << 2) + (within >> 3)) * 2 + (within & 1)) << 5) + (column & 31)


def reordered(x, order, back=False):
    """Matrices in the last two axes, stored in an order, or stored so and read."""
    matrices = x.reshape(-1, x.shape[-2] if x.ndim > 1 else 1, x.shape[-1])
    rows, columns = matrices.shape[1:]
    places = np.array([[address(r, c, rows, columns, order) for c in range(columns)] for r in range(rows)], int).ravel()
    out = np.empty((len(matrices), rows * columns), x.dtype)
    for made, matrix in zip(out, matrices.reshape(len(matrices), -1)):
        if back:
            made[:] = matrix[places]
        else:
            made[places] = matrix
    return out.reshape(x.shape)


def by_columns(x):
    return reordered(x, COL)


def _quantize(random):
    order = random.choice([COL, ROW, COL32, COL4_4R2_8C, COL32_2R_4R4])
    rows = random.choice([32, 64]) if order == COL32_2R_4R4 else random.choice([8, 16])
    columns = random.choice([32, 64]) if order > ROW else random.choice([3, 32])
    if order in (COL, ROW, COL32):
        rows = random.choice([1, 3, 8])
    shape = random.choice([(rows, columns), (2, rows, columns), (1, 2, rows, columns)])
    if rows == 1 and random.random() < 0.5:
        shape = (columns,)
    kind = random.choice([np.float32, np.float16])
    scale = scale_of(random)
    if random.random() < 0.5:
        x = (random.standard_normal(shape) * 3).astype(kind)
        return Case("QuantizeWithOrder", [x, scale], 1, {"order_input": ROW, "order_output": order},
                    expected=lambda: [reordered(rounded(x.astype(F32) / scale), order)], tolerance=_ROUNDING, sized=[0])
    x = codes(random, *shape)
    return Case("DequantizeWithOrder", [x, scale], 1, {"order_input": order, "order_output": ROW, "to": 1 if kind is np.float32 else 10},
                expected=lambda: [(reordered(x, order, back=True).astype(F32) * scale).astype(kind)], sized=[0])


def _product(random):
    batch, m, k, n = random.randint(1, 3), random.randint(1, 9), random.randint(1, 40), random.randint(1, 20)
    is_batched = random.random() < 0.5
    a = codes(random, *([batch] if is_batched else []), m, k)
    b = codes(random, *([random.choice([1, batch])] if is_batched and random.random() < 0.5 else []), k, n)
    a_scale = scale_of(random)
    b_scale = scale_of(random) if random.random() < 0.5 else random.uniform(0.01, 0.1, n).astype(F32)
    y_scale = np.array(random.uniform(0.5, 2), F32)
    bias = (random.standard_normal(n) * 20).astype(F32) if random.random() < 0.5 else None
    c = c_scale = None
    if random.random() < 0.5:
        c = codes(random, *([random.choice([1, batch])] if is_batched else []), m, n)
        c_scale = scale_of(random, 0.1, 1)

    def expected():
        y = np.matmul(a.astype(int), b.astype(int)) * (a_scale.astype(float) * b_scale / y_scale)
        y = y if bias is None else y + bias
        y = y if c is None else y + c * float(c_scale / y_scale)
        return [rounded(y)]

    return Case("QOrderedMatMul", [a, a_scale, by_columns(b), b_scale, y_scale, bias, c, c_scale], 1,
                {"order_A": ROW, "order_B": COL, "order_Y": ROW}, expected=expected, tolerance=_ROUNDING)


def _erf(x):
    return np.vectorize(__import__("math").erf, otypes=[float])(x)


def _gelu(random):
    shape = random.choice([(5,), (2, 3), (1, 4, 7), (300,)])
    x, x_scale, y_scale = codes(random, *shape), scale_of(random), scale_of(random)
    order = random.choice([None, ROW, COL, COL32])

    def expected():
        real = x * float(x_scale)
        return [rounded(0.5 * real * (1 + _erf(real / np.sqrt(2))) / y_scale)]

    return Case("QOrderedGelu", [x, x_scale, y_scale], 1, {"order_X": order, "order_Y": random.choice([None, order])},
                expected=expected, tolerance=_ROUNDING)


def _layer_normalization(random):
    shape = (random.randint(1, 3), random.randint(1, 5), random.choice([4, 8, 33, 64]))
    x, x_scale, y_scale = codes(random, *shape), scale_of(random), scale_of(random)
    kind = random.choice([np.float32, np.float16])
    gamma = (1 + 0.3 * random.standard_normal(shape[-1])).astype(kind)
    beta = random.standard_normal(shape[-1]).astype(kind) if random.random() < 0.6 else None
    epsilon = random.choice([None, 1e-5, 1e-2])

    def expected():
        real = x * float(x_scale)
        y = (real - real.mean(-1, keepdims=True)) / np.sqrt(real.var(-1, keepdims=True) + (epsilon or 1e-5)) * gamma.astype(float)
        return [rounded((y if beta is None else y + beta) / y_scale)]

    return Case("QOrderedLayerNormalization", [x, x_scale, gamma, beta, y_scale], 1,
                {"axis": random.choice([None, -1, 2]), "epsilon": epsilon, "order_X": random.choice([None, ROW]),
                 "order_Y": random.choice([None, ROW])}, expected=expected, tolerance=_ROUNDING)


def _attention(random):
    batch, length, heads, size, width = random.randint(1, 2), random.randint(1, 6), random.randint(1, 3), random.choice([4, 16]), random.randint(2, 12)
    hidden = heads * size
    x, x_scale = codes(random, batch, length, width, low=-60, high=60), scale_of(random)
    scales = [np.array(random.uniform(0.02, 0.05), F32) for _ in range(3)]
    weights = [codes(random, width, hidden) for _ in range(3)]
    weight_scales = [scale_of(random, 0.002, 0.01) if random.random() < 0.5 else random.uniform(0.002, 0.01, hidden).astype(F32)
                     for _ in range(3)]
    biases = [(random.standard_normal(hidden) * 0.3).astype(F32) for _ in range(3)]
    score_scale, weight_scale, y_scale = np.array(0.2, F32), np.array(1 / 127, F32), np.array(random.uniform(0.01, 0.03), F32)
    is_causal = random.random() < 0.3
    shape = random.choice([None, (batch, length), (batch, length), (batch, length, length)])
    mask = None
    if shape is not None:
        mask = (random.random(shape) < 0.7).astype(np.int32)
        mask[..., 0] = 1

    def expected():
        parts = []
        for scale, weight, own, bias in zip(scales, weights, weight_scales, biases):
            sums = np.matmul(x.astype(int), weight.astype(int)) * (float(x_scale) * own / scale) + bias / scale
            parts.append(rounded(sums).reshape(batch, length, heads, size).transpose(0, 2, 1, 3).astype(int))
        query, key, value = parts
        scores = rounded(query @ key.transpose(0, 1, 3, 2) * float(scales[0] * scales[1] / score_scale))
        given = scores * float(score_scale) / np.sqrt(size)
        visible = np.ones((batch, 1, length, length), bool)
        if mask is not None:
            visible = visible & ((mask[:, None, None] if mask.ndim == 2 else mask[:, None]) != 0)
        if is_causal:
            visible = visible & np.tril(np.ones((length, length), bool))
        powers = np.where(visible, np.exp(given - given.max(-1, keepdims=True)), 0)
        shares = rounded(powers / powers.sum(-1, keepdims=True) / weight_scale)
        y = rounded(shares.astype(int) @ value * float(weight_scale * scales[2] / y_scale))
        return [y.transpose(0, 2, 1, 3).reshape(batch, length, hidden)]

    inputs = [x, x_scale, *scales, *(by_columns(each) for each in weights), *weight_scales, *biases, score_scale, weight_scale,
              y_scale, mask]
    # A code that is off by one changes the next product by a few codes.
    return Case("QOrderedAttention", inputs, 1,
                {"num_heads": heads, "order_input": ROW, "order_weight": COL, "order_output": ROW,
                 "qkv_hidden_sizes": [hidden] * 3 if random.random() < 0.7 else None,
                 "unidirectional": 1 if is_causal else random.choice([None, 0])}, expected=expected, tolerance=(0, 3))


def _longformer(random):
    batch, window, heads, size = random.randint(1, 2), random.choice([1, 2, 3]), random.randint(1, 2), random.choice([4, 8])
    length, width = 2 * window * random.randint(1, 3), heads * size
    x, x_scale = codes(random, batch, length, width, low=-60, high=60), scale_of(random)
    weight, own_weight = codes(random, width, 3 * width), codes(random, width, 3 * width)
    weight_scale, own_weight_scale = scale_of(random, 0.002, 0.01), scale_of(random, 0.002, 0.01)
    scale, own_scale = scale_of(random, 0.02, 0.05), scale_of(random, 0.02, 0.05)
    bias, own_bias = ((random.standard_normal(3 * width) * 5).astype(F32) for _ in range(2))
    y_scale = scale_of(random, 0.01, 0.03)
    is_global = np.zeros((batch, length), np.int32)
    for row in is_global:
        row[:random.randint(0, 2)] = 1
    mask = np.zeros((batch, length), np.float16)
    for row in mask:
        count = random.choice([0, 0, 1])
        row[length - count:] = -10000

    def projected(matrix, matrix_scale, result_scale, offset):
        sums = np.matmul(x.astype(int), matrix.astype(int)) * float(x_scale * matrix_scale / result_scale) + offset
        return np.split(rounded(sums) * float(result_scale), 3, -1)

    def expected():
        own = projected(weight, weight_scale, scale, bias)
        of_global = projected(own_weight, own_weight_scale, own_scale, own_bias)
        y = np.zeros((batch, length, heads, size))
        for b in range(batch):
            for i in range(length):
                q, k, v = (each[b].reshape(length, heads, size) for each in (of_global if is_global[b, i] else own))
                distance = np.abs(np.arange(length) - i)
                visible = np.ones(length, bool) if is_global[b, i] else (distance <= window) | (is_global[b] != 0)
                scores = np.einsum("hd,khd->hk", q[i], k) / np.sqrt(size) + mask[b].astype(float)
                scores = np.where(visible, scores, -np.inf)
                shares = np.exp(scores - scores.max(-1, keepdims=True))
                y[b, i] = np.einsum("hk,khd->hd", shares / shares.sum(-1, keepdims=True), v)
        y = np.where(mask[:, :, None] < 0, 0, y.reshape(batch, length, width))
        return [rounded(y / y_scale)]

    return Case("QOrderedLongformerAttention",
                [x, x_scale, by_columns(weight), weight_scale, bias, np.array(1, F32), scale, mask, by_columns(own_weight),
                 own_weight_scale, own_bias, own_scale, is_global, y_scale], 1,
                {"num_heads": heads, "window": window, "order_input": ROW, "order_weight": COL, "order_global_weight": COL,
                 "order_output": ROW}, expected=expected, tolerance=(0, 2), sized=[2, 8])


def _gemm_float8(random):
    m, k, n = random.randint(1, 8), random.randint(1, 30), random.randint(1, 12)
    kinds = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.float16, ml_dtypes.bfloat16, np.float32]
    a_kind, b_kind = random.choice(kinds), random.choice(kinds)
    transposes_a, transposes_b = random.random() < 0.4, random.random() < 0.6
    a = random.standard_normal((k, m) if transposes_a else (m, k)).astype(F32).astype(a_kind)
    b = random.standard_normal((n, k) if transposes_b else (k, n)).astype(F32).astype(b_kind)
    scales = [scale_of(random, 0.5, 2) if random.random() < 0.5 else None for _ in range(3)]
    c = None
    if random.random() < 0.6:
        c = random.standard_normal(random.choice([(m, n), (1, n), (n,)])).astype(F32).astype(random.choice(kinds[2:]))
    alpha, beta = random.choice([None, 0.5]), random.choice([None, 1.0, -0.5])
    activation = random.choice([None, "NONE", "RELU", "GELU"])
    kind, dtype = random.choice([(np.float32, 1), (np.float32, None), (np.float16, 10), (ml_dtypes.bfloat16, 16),
                                 (ml_dtypes.float8_e4m3fn, 17), (ml_dtypes.float8_e5m2, 19)])

    def expected():
        wide = [each.astype(np.float64) * (1 if scale is None else scale) for each, scale in zip((a, b), scales)]
        y = (alpha or 1) * ((wide[0].T if transposes_a else wide[0]) @ (wide[1].T if transposes_b else wide[1]))
        if c is not None and beta:
            y = y + beta * c.astype(np.float64)
        if activation == "RELU":
            y = np.maximum(y, 0)
        elif activation == "GELU":
            y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
        y = y if scales[2] is None else y * scales[2]
        return [y.astype(F32).astype(kind)]

    return Case("GemmFloat8", [a, b, c, *scales], 1,
                {"alpha": alpha, "beta": beta, "activation": activation, "dtype": dtype, "transA": int(transposes_a) or None,
                 "transB": int(transposes_b) or None}, expected=expected)


def cases(random):
    for make, count in ((_quantize, 90), (_product, 60), (_gelu, 40), (_layer_normalization, 40), (_attention, 50), (_longformer, 40),
                        (_gemm_float8, 80)):
        for _ in range(count):
            yield make(random)
