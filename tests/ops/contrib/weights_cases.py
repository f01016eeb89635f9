# Random cases of operators with block-quantized weights: MatMulNBits and its kin, GatherBlockQuantized, MoE.
import math

import numpy as np
from case import Case

F16, F32 = np.float16, np.float32


def _dtype(random):
    return random.choice([F32, F32, F32, F16])


def _floats(random, shape, dtype=F32):
    return random.standard_normal(shape).astype(dtype)


def _packed(codes, bits):
    """Codes along the last axis in bytes, the first in the low bits."""
    per_byte = 8 // bits
    padding = -codes.shape[-1] % per_byte
    codes = np.concatenate([codes, np.zeros(codes.shape[:-1] + (padding,), codes.dtype)], axis=-1)
    codes = codes.reshape(codes.shape[:-1] + (-1, per_byte)).astype(np.uint32)
    shifts = np.arange(per_byte, dtype=np.uint32) * bits
    return (codes << shifts).sum(axis=-1).astype(np.uint8)


def _initializers(random, inputs, wanted):
    """These of the inputs as initializers, or as the runner draws it."""
    count = max(index for index, each in enumerate(inputs) if each is not None) + 1
    return random.choice([None, [index for index in wanted if index < count]])


def _scales(random, shape, dtype):
    return (random.uniform(0.01, 0.1, shape)).astype(dtype)


def _tolerance(dtype, level=0):
    if level == 4:
        return (2e-2, 2e-1)
    return (2e-2, 2e-2) if dtype == F16 else (1e-4, 1e-4)


def _block_weights(random, n, k, block, bits, dtype, zeros):
    blocks = (k + block - 1) // block
    codes = random.integers(0, 1 << bits, (n, blocks, block))
    points = random.integers(0, 1 << bits, (n, blocks))
    given = None
    if zeros == "packed":
        given = _packed(points, bits)
    elif zeros == "float":
        points = random.uniform(0, (1 << bits) - 1, (n, blocks)).astype(dtype)
        given = points
    else:
        points = np.full((n, blocks), 1 << (bits - 1))
    scales = _scales(random, (n, blocks), dtype)
    weights = (codes - points[..., None].astype(F32)) * scales[..., None].astype(F32)
    return _packed(codes, bits).reshape(n, blocks, -1), scales, given, weights.reshape(n, -1)[:, :k], codes, points


def _matmul_n_bits(random):
    for index in range(60):
        bits = random.choice([2, 4, 4, 8])
        block = random.choice([16, 32, 64, 128, 256])
        n = random.choice([1, 3, 16, 17, 40, 70])
        k = random.choice([16, 19, 32, 40, 64, 100, 128, 256, 300])
        batch = random.choice([(1,), (2,), (3, 4), (1, 7), (20,), (33,), (2, 20)])
        dtype = _dtype(random)
        level = index % 5
        zeros = random.choice(["none", "packed", "packed", "float"])
        b, scales, given, weights, codes, points = _block_weights(random, n, k, block, bits, dtype, zeros)
        a = _floats(random, batch + (k,), dtype)
        groups = None
        bias = _floats(random, (n,), dtype) if random.random() < 0.4 else None
        if random.random() < 0.15:
            blocks = scales.shape[1]
            groups = random.integers(0, blocks, k).astype(np.int32)
            flat = codes.reshape(n, -1)[:, :k]
            weights = (flat - points[:, groups].astype(F32)) * scales[:, groups].astype(F32)
        expected = a.astype(F32) @ weights.T + (0 if bias is None else bias.astype(F32))
        # Rows in int8 differ by half a step of each block's scale.
        size = np.abs(weights).max() * math.sqrt(k) * np.abs(a).max() / 127
        tolerance = (1e-2, 2 * float(size)) if level == 4 else _tolerance(dtype)
        if dtype == F16:
            tolerance = (2e-2, max(tolerance[1], 5e-3 * float(np.abs(expected).max())))
        elif level != 4:
            tolerance = (1e-4, 1e-5 * float(np.abs(a) .max() * np.abs(weights).max() * k))
        inputs = [a, b, scales, given, groups, bias]
        constants = _initializers(random, inputs, range(1, 6))
        # onnxruntime is wrong where a row has less than a block, and where weights are initializers without their scales.
        if constants is None:
            constants = [index for index, each in enumerate(inputs) if each is not None and random.random() < 0.5]
        is_split = 1 in constants and any(inputs[each] is not None and each not in constants for each in (2, 3))
        numpy_only = zeros == "float" or groups is not None or bits == 2 or dtype == F16 or k < block or is_split
        yield Case("MatMulNBits", inputs, 1,
                   {"K": k, "N": n, "bits": bits, "block_size": block, "accuracy_level": level}, tolerance=tolerance,
                   expected=(lambda expected=expected, dtype=dtype: [expected.astype(dtype)]) if numpy_only else None,
                   constants=constants)


def _gather_block_quantized(random):
    from ml_dtypes import int4, uint4
    for index in range(40):
        kind = ["uint8", "int4", "uint4"][index % 3]
        block = random.choice([16, 32, 64])
        dtype = random.choice([F32, F16])
        bits = random.choice([2, 4, 8]) if kind == "uint8" else 4
        rank = random.choice([2, 3])
        shape = [random.choice([3, 5, 8]) for _ in range(rank - 1)] + [random.choice([16, 32, 64, 96])]
        gather = 0 if kind == "uint8" else random.choice(range(rank))
        quantize = rank - 1 if kind == "uint8" else random.choice(range(rank))
        low = -8 if kind == "int4" else 0
        high = 8 if kind == "int4" else 1 << bits
        codes = random.integers(low, high, shape)
        scale_shape = list(shape)
        scale_shape[quantize] = (shape[quantize] + block - 1) // block
        scales = _scales(random, scale_shape, dtype)
        has_zeros = random.random() < 0.5
        points = random.integers(low, high, scale_shape)
        if kind == "uint8":
            data, zeros = _packed(codes, bits), _packed(points, bits)
        else:
            dtype4 = int4 if kind == "int4" else uint4
            data, zeros = codes.astype(dtype4), points.astype(dtype4)
        size = shape[gather]
        indices = random.integers(-size, size, random.choice([(1,), (4,), (2, 3)])).astype(
            random.choice([np.int32, np.int64]))
        sign = rank if random.random() < 0.3 else 0
        inputs = [data, indices, scales, zeros if has_zeros else None]
        yield Case("GatherBlockQuantized", inputs, 1,
                   {"bits": bits, "block_size": block, "gather_axis": gather, "quantize_axis": quantize - sign},
                   constants=[0, 2, 3] if has_zeros else [0, 2])


def _gather_floats(random):
    from ml_dtypes import float4_e2m1fn, float8_e4m3fn, float8_e5m2
    for _ in range(20):
        dtype = random.choice([float8_e4m3fn, float8_e5m2, float4_e2m1fn])
        shape = [random.choice([3, 5]), random.choice([16, 40])]
        block = random.choice([0, 16, 32])
        blocks = 1 if block == 0 else (shape[1] + block - 1) // block
        x = random.standard_normal(shape).astype(dtype)
        scales = _scales(random, (random.choice([1, shape[0]]), blocks), random.choice([F32, F16]))
        indices = random.integers(-shape[0], shape[0], random.choice([(1,), (2, 3)]))
        each = np.repeat(np.broadcast_to(scales, (shape[0], blocks)), block or shape[1], axis=1)[:, :shape[1]]
        made = (x.astype(F32) * each.astype(F32)).astype(scales.dtype)[indices]
        yield Case("GatherBlockQuantized", [x, indices, scales], 1, {"block_size": block, "quantize_axis": 1},
                   constants=[0, 2], expected=lambda made=made: [made], opset=23)


_NF4 = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
        -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
        0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0]


def _matmul_bnb4(random):
    for _ in range(30):
        block = random.choice([16, 32, 64, 128])
        n, k = random.choice([1, 16, 24, 33]), random.choice([16, 32, 64, 128, 130])
        codes = random.integers(0, 256, ((n * k + 1) // 2,)).astype(np.uint8)
        absmax = _scales(random, ((n * k + block - 1) // block,), F32)
        a = _floats(random, random.choice([(1, k), (3, k), (2, 3, k), (14, k)]))
        yield Case("MatMulBnb4", [a, codes, absmax], 1,
                   {"K": k, "N": n, "block_size": block, "quant_type": random.choice([0, 1])},
                   tolerance=(1e-4, 1e-4), constants=[1, 2])
    for _ in range(6):
        n, k, block = 8, 32, 16
        codes = random.integers(0, 256, (n * k // 2,)).astype(np.uint8)
        absmax = _scales(random, (n * k // block,), F16)
        a = _floats(random, (3, n), F16)
        flat = np.stack([codes >> 4, codes & 15], axis=-1).reshape(-1)
        weights = (np.array(_NF4, F32)[flat] * np.repeat(absmax.astype(F32), block)).reshape(n, k)
        yield Case("MatMulBnb4", [a, codes, absmax], 1,
                   {"K": k, "N": n, "block_size": block, "quant_type": 1, "transB": 0}, tolerance=(1e-2, 1e-2),
                   expected=lambda a=a, weights=weights: [(a.astype(F32) @ weights).astype(F16)])


def _matmul_fp_q4(random):
    for _ in range(48):  # onnxruntime refuses some
        kind = random.choice([0, 1, 2])
        block = 64 if kind == 2 else 32
        n, k = random.choice([1, 4, 16, 21]), random.choice([32, 64, 100, 256])
        blocks = (k + block - 1) // block
        parts = []
        for _ in range(n * blocks):
            parts.append(np.frombuffer(F32(random.uniform(0.01, 0.1)).tobytes(), np.uint8))
            if kind == 1:
                parts.append(np.array([random.randrange(16)], np.uint8))
            parts.append(random.integers(0, 256, (block // 2,)).astype(np.uint8))
        a = _floats(random, random.choice([(1, k), (5, k), (2, 3, k)]))
        yield Case("MatMulFpQ4", [a, np.concatenate(parts), np.array([k, n], np.int64)], 1, {"blk_quant_type": kind},
                   tolerance=(1e-4, 1e-4), constants=[1, 2])


def _float8(codes):
    from ml_dtypes import float8_e4m3fn
    return codes.astype(np.uint8).view(float8_e4m3fn)


def _finite_float8(random, shape):
    codes = random.integers(0, 0x70, shape) | (random.integers(0, 2, shape) << 7)
    return codes.astype(np.uint8)


_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], F32)


def _coded_weights(random):
    for _ in range(30):
        n, k = random.choice([1, 16, 24]), random.choice([16, 32, 64, 80])
        block = random.choice([16, 32])
        codes = random.integers(0, 16, (n, k))
        scales = random.integers(0x20, 0x48, (n, (k + block - 1) // block)).astype(np.uint8)
        whole = F32(random.uniform(0.01, 0.1))
        bias = _floats(random, (n,), F16) if random.random() < 0.5 else None
        a = _floats(random, random.choice([(1, k), (3, k), (2, 2, k)]), F16)
        each = np.repeat(_float8(scales).astype(F32) * whole, block, axis=1)[:, :k]
        weights = _E2M1[codes] * each
        expected = a.astype(F32) @ weights.T + (0 if bias is None else bias.astype(F32))
        yield Case("MatMulBlockQuantizedFp4Weight", [a, _packed(codes, 4), scales, whole, None, bias], 1,
                   {"block_size": block}, tolerance=(2e-2, 5e-3 * float(np.abs(expected).max()) + 1e-3),
                   expected=lambda expected=expected: [expected.astype(F16)])
    for _ in range(30):
        n, k = random.choice([1, 16, 24]), random.choice([16, 32, 64, 200])
        block = random.choice([32, 128])
        codes = _finite_float8(random, (n, k))
        scales = _scales(random, (n, (k + block - 1) // block), F32) / 50
        bias = _floats(random, (n,), F16) if random.random() < 0.5 else None
        a = _floats(random, random.choice([(1, k), (3, k), (2, 2, k)]), F16)
        given = None
        left = a.astype(F32)
        if random.random() < 0.4:
            given = F32(random.uniform(0.01, 0.05))
            from ml_dtypes import float8_e4m3fn
            left = (left / given).astype(float8_e4m3fn).astype(F32) * given
        weights = _float8(codes).astype(F32) * np.repeat(scales, block, axis=1)[:, :k]
        expected = left @ weights.T + (0 if bias is None else bias.astype(F32))
        yield Case("MatMulBlockQuantizedFp8Weight", [a, _float8(codes), scales, given, bias], 1, {"block_size": block},
                   tolerance=(2e-2, 5e-3 * float(np.abs(expected).max()) + 1e-3),
                   expected=lambda expected=expected: [expected.astype(F16)])


def _rms_norm(x, scale, epsilon):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + epsilon) * scale


def _fusions(random):
    for _ in range(30):
        k, n, block, bits = random.choice([32, 64]), random.choice([16, 24]), random.choice([16, 32]), 4
        a = _floats(random, random.choice([(1, 1, k), (1, 5, k), (2, 3, k)]))
        skip = _floats(random, a.shape) if random.random() < 0.5 else None
        norm = _floats(random, (k,)) if skip is not None or random.random() < 0.5 else None
        total = a if skip is None else a + skip
        x = total if norm is None else _rms_norm(total, norm, 1e-5)
        inputs, made = [a, skip, norm], []
        for _ in range(2):
            b, scales, _, weights, _, _ = _block_weights(random, n, k, block, bits, F32, "none")
            bias = _floats(random, (n,)) if random.random() < 0.5 else None
            inputs += [b, scales, bias]
            made.append(x @ weights.T + (0 if bias is None else bias))
        y = made[0] / (1 + np.exp(-made[0])) * made[1]
        with_sum = random.random() < 0.5
        yield Case("MatMulNBitsMlp", inputs, [True, with_sum],
                   {"K": k, "N": n, "bits": bits, "block_size": block, "activation": "silu"}, tolerance=(1e-3, 1e-3),
                   expected=lambda made=[y] + [total] * with_sum: [each.astype(F32) for each in made])
    for _ in range(30):
        k, block, bits = random.choice([32, 64]), random.choice([16, 32]), 4
        sizes = [random.choice([16, 32]), 8, 8]
        a = _floats(random, random.choice([(1, 1, k), (1, 5, k), (2, 3, k)]))
        skip = _floats(random, a.shape) if random.random() < 0.5 else None
        norm = _floats(random, (k,))
        total = a if skip is None else a + skip
        x = _rms_norm(total, norm, 1e-6)
        inputs, made = [a, skip, norm], []
        for n in sizes:
            b, scales, _, weights, _, _ = _block_weights(random, n, k, block, bits, F32, "none")
            bias = _floats(random, (n,)) if random.random() < 0.5 else None
            inputs += [b, scales, bias]
            made.append(x @ weights.T + (0 if bias is None else bias))
        with_sum = random.random() < 0.5
        yield Case("MatMulNBitsQkv", inputs, [True, True, True, with_sum],
                   {"K": k, "Nq": sizes[0], "Nkv": 8, "bits": bits, "block_size": block}, tolerance=(1e-3, 1e-3),
                   expected=lambda made=made + [total] * with_sum: [each.astype(F32) for each in made])


def _activation(kind, gate, value, alpha, beta, limit):
    def sigmoid(x):
        return 1 / (1 + np.exp(-x))
    if kind == "swiglu":
        gate, value = np.minimum(gate, limit), np.clip(value, -limit, limit)
        return gate * sigmoid(alpha * gate) * (value + beta)
    if kind == "relu":
        made = np.maximum(gate, 0)
    elif kind == "silu":
        made = gate * sigmoid(gate)
    elif kind == "gelu":
        made = 0.5 * gate * (1 + np.tanh(np.sqrt(2 / np.pi) * (gate + 0.044715 * gate**3)))
    else:
        made = gate
    return made if value is None else made * value


def _experts(x, logits, layers, attributes, mixing=None):
    """`layers`: weights and bias of fc1, fc2 and maybe fc3 for each expert."""
    kind, fusion = attributes["activation_type"], attributes.get("swiglu_fusion", 0)
    alpha, beta = attributes.get("activation_alpha", 1.0), attributes.get("activation_beta", 0.0)
    limit = attributes.get("swiglu_limit", np.inf)
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64)
    out = np.zeros_like(rows)
    for token, row in enumerate(rows):
        picked = np.argsort(-logits[token].astype(np.float64), kind="stable")[:attributes["k"]]
        weights = np.exp(logits[token].astype(np.float64) - logits[token].max())
        weights = (weights / weights.sum() if mixing is None else mixing[token].astype(np.float64))[picked]
        if attributes["normalize_routing_weights"]:
            weights = weights / weights.sum()
        for weight, expert in zip(weights, picked):
            made = [row @ matrix[expert].T + (0 if bias is None else bias[expert])
                    for matrix, bias in (layers[0], *layers[2:])]
            gate, value = made[0], made[1] if len(made) > 1 else None
            if kind == "swiglu" and fusion == 1:
                gate, value = gate[0::2], gate[1::2]
            elif kind == "swiglu" and fusion == 2:
                gate, value = np.split(gate, 2)
            inner = _activation(kind, gate, value, alpha, beta, limit)
            matrix, bias = layers[1]
            out[token] += weight * (inner @ matrix[expert].T + (0 if bias is None else bias[expert]))
    return out.reshape(x.shape)


def _expert_attributes(random, experts):
    kind = random.choice(["relu", "gelu", "silu", "swiglu", "swiglu", "identity"])
    attributes = {"k": random.choice([1, 2, min(4, experts)]), "activation_type": kind,
                  "normalize_routing_weights": random.choice([0, 1])}
    if kind == "swiglu":
        attributes.update(swiglu_fusion=random.choice([0, 1, 1, 1, 2]), activation_alpha=1.702, activation_beta=1.0)
        if random.random() < 0.7:
            attributes["swiglu_limit"] = 2.0
    return attributes


def _moe(random):
    for _ in range(40):
        experts, hidden, inner = random.choice([2, 4, 9]), random.choice([16, 24]), random.choice([8, 20])
        attributes = _expert_attributes(random, experts)
        fusion = attributes.get("swiglu_fusion", 0)
        fused = 2 if fusion else 1
        has_third = (attributes["activation_type"] == "swiglu" and fusion == 0) or (fused == 1 and random.random() < 0.3)
        x = _floats(random, random.choice([(1, hidden), (5, hidden), (2, 4, hidden)]))
        logits = _floats(random, (x.size // hidden, experts))
        sizes = [(fused * inner, hidden), (hidden, inner)] + ([(inner, hidden)] if has_third else [])
        layers = [(_floats(random, (experts,) + size) / 4,
                   _floats(random, (experts, size[0])) if random.random() < 0.5 else None) for size in sizes]
        dtype = _dtype(random)
        numpy_only = has_third or fusion == 2 or dtype == F16
        x, logits = x.astype(dtype), logits.astype(dtype)
        layers = [tuple(None if each is None else each.astype(dtype) for each in layer) for layer in layers]
        expected = _experts(x, logits, [tuple(None if each is None else each.astype(F32) for each in layer)
                                        for layer in layers], attributes)
        tolerance = (2e-2, 1e-2 * float(np.abs(expected).max())) if dtype == F16 else (1e-3, 1e-4)
        yield Case("MoE", [x, logits] + [each for layer in layers for each in layer], 1, attributes, tolerance=tolerance,
                   expected=(lambda expected=expected, dtype=dtype: [expected.astype(dtype)]) if numpy_only else None)


def _qmoe(random):
    for _ in range(50):
        experts, hidden, inner = random.choice([2, 4, 9]), random.choice([32, 64]), random.choice([32, 64])
        attributes = _expert_attributes(random, experts)
        bits, block = random.choice([2, 4, 8]), random.choice([0, 16, 32])
        attributes["expert_weight_bits"] = bits
        if block:
            attributes["block_size"] = block
        level = random.choice([0, 0, 1, 4])
        attributes["accuracy_level"] = level
        fusion = attributes.get("swiglu_fusion", 0)
        fused = 2 if fusion else 1
        has_third = (attributes["activation_type"] == "swiglu" and fusion == 0) or (fused == 1 and random.random() < 0.3)
        x = _floats(random, random.choice([(1, hidden), (5, hidden), (2, 4, hidden)]))
        logits = _floats(random, (x.size // hidden, experts))
        has_zeros = random.random() < 0.5
        sizes = [(fused * inner, hidden), (hidden, inner)] + ([(inner, hidden)] if has_third else [])
        inputs, zeros, layers = [x, logits], [], []
        for n, k in sizes:
            size = block or k
            codes = random.integers(0, 1 << bits, (experts, n, k // size, size))
            points = random.integers(0, 1 << bits, codes.shape[:-1]) if has_zeros else \
                np.full(codes.shape[:-1], 1 << (bits - 1))
            scales = (random.uniform(0.2, 1, codes.shape[:-1]) / (1 << bits)).astype(F32)
            weights = ((codes - points[..., None]) * scales[..., None]).reshape(experts, n, k)
            bias = _floats(random, (experts, n)) if random.random() < 0.5 else None
            inputs += [_packed(codes.reshape(experts, n, k), bits), scales if block else scales[..., 0], bias]
            zeros.append(_packed(points if block else points[..., 0], bits) if has_zeros else None)
            layers.append((weights, bias))
        inputs += [None] * (11 - len(inputs)) + zeros + [None] * (3 - len(zeros))
        mixing = None
        if random.random() < 0.3:
            mixing = np.abs(_floats(random, logits.shape))
            inputs.append(mixing)
        expected = _experts(x, logits, layers, attributes, mixing)
        size = float(np.abs(expected).max())
        yield Case("QMoE", inputs, 1, attributes, tolerance=(5e-2, 5e-2 * size) if level == 4 else (1e-3, 1e-4 * size),
                   expected=lambda expected=expected: [expected.astype(F32)],
                   constants=_initializers(random, inputs, range(2, 14)))


def cases(random):
    for family in (_matmul_n_bits, _gather_block_quantized, _gather_floats, _matmul_bnb4, _matmul_fp_q4, _coded_weights, _fusions, _moe,
                   _qmoe):
        yield from family(random)
