# Random cases of com.microsoft's quantized operators: QLinear..., integer products, QuantizeLinear of 4 and 16 bits.
import numpy as np
from case import Case

F32 = np.float32
_ROUNDING = (0, 1)  # results of other orders of rounding


def _type(random):
    return random.choice([np.uint8, np.int8])


def _codes(random, shape, dtype):
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max + 1, shape).astype(dtype)


def _point(random, dtype):
    info = np.iinfo(dtype)
    return np.array(random.randint(info.min // 4, info.max // 4), dtype)


def _scale(random, low=0.02, high=0.2):
    return np.array(random.uniform(low, high), F32)


def _real(codes, scale, point):
    return (codes.astype(F32) - (0 if point is None else point.astype(F32))) * scale


def _quantized(x, scale, point, dtype):
    info = np.iinfo(dtype)
    return np.clip(np.rint(x / scale) + (0 if point is None else int(point)), info.min, info.max).astype(dtype)


def _broadcast_pair(random):
    return random.choice([((2, 3), (2, 3)), ((4,), (3, 4)), ((2, 1, 5), (3, 1)), ((1,), (2, 8)), ((2, 3, 4), (1,)),
                          ((20, 33), (33,)), ((1, 70), (5, 1))])


def _elementwise(random):
    for index in range(60):
        dtype = _type(random)
        a, b = _broadcast_pair(random)
        inputs = [_codes(random, a, dtype), _scale(random), _point(random, dtype), _codes(random, b, dtype), _scale(random),
                  _point(random, dtype), _scale(random, 0.05, 2.0), _point(random, dtype) if random.random() < 0.8 else None]
        yield Case(["QLinearAdd", "QLinearMul"][index % 2], inputs, 1, tolerance=_ROUNDING)
    for index in range(96):  # onnxruntime refuses some
        dtype = _type(random)
        shape = random.choice([(7,), (2, 3), (2, 3, 4), (65,), (1, 100)])
        inputs = [_codes(random, shape, dtype), _scale(random), _point(random, dtype),
                  _scale(random, 1 / 256, 0.01) if index % 2 else _scale(random),
                  _point(random, dtype) if random.random() < 0.8 else None]
        attributes = {} if index % 2 else {"alpha": random.choice([None, 0.1, 0.5])}
        yield Case(["QLinearLeakyRelu", "QLinearSigmoid"][index % 2], inputs, 1, attributes, tolerance=_ROUNDING)
    for _ in range(30):
        dtype = _type(random)
        x, y = _broadcast_pair(random)
        condition = random.choice([x, y, (1,)])
        yield Case("QLinearWhere", [random.random(condition) < 0.5, _codes(random, x, dtype), _scale(random),
                                    _point(random, dtype), _codes(random, y, dtype), _scale(random), _point(random, dtype),
                                    _scale(random, 0.05, 0.4), _point(random, dtype)], 1, tolerance=_ROUNDING)


def _image(random, channels_last):
    spatial = random.choice([(5,), (6, 7), (4, 4), (3, 4, 5)])
    channels = random.choice([1, 3, 8])
    shape = (random.choice([1, 2]),) + (spatial + (channels,) if channels_last else (channels,) + spatial)
    return shape, spatial, channels


def _pools(random):
    for _ in range(40):
        dtype = _type(random)
        last = random.randrange(2)
        shape, spatial, _ = _image(random, last)
        ceil = random.randrange(2)
        attributes = {"kernel_shape": [random.choice([2, 3]) for _ in spatial], "channels_last": last, "ceil_mode": ceil,
                      "strides": [random.choice([1, 2]) for _ in spatial]}
        mode = random.choice(["none", "pads", "SAME_UPPER", "VALID"])
        if mode == "pads":
            attributes["pads"] = [random.choice([0, 1]) for _ in range(2 * len(spatial))]
            # Where a window could begin behind the image, onnxruntime divides by the whole window unlike its AveragePool.
            trailing = attributes["pads"][len(spatial):]
            is_inside = all(pad + stride - 1 < size for pad, stride, size in zip(
                trailing, attributes["strides"], attributes["kernel_shape"]))
            attributes["count_include_pad"] = random.randrange(2) if is_inside or not ceil else 0
        elif mode != "none":
            attributes.update(auto_pad=mode, ceil_mode=0)
        yield Case("QLinearAveragePool", [_codes(random, shape, dtype), _scale(random), _point(random, dtype),
                                          _scale(random), _point(random, dtype)], 1, attributes, tolerance=_ROUNDING)
    for _ in range(30):
        dtype = _type(random)
        last = random.randrange(2)
        shape, _, _ = _image(random, last)
        yield Case("QLinearGlobalAveragePool", [_codes(random, shape, dtype), _scale(random), _point(random, dtype),
                                                _scale(random), _point(random, dtype)], 1, {"channels_last": last},
                   tolerance=_ROUNDING)
    for _ in range(30):
        dtype = _type(random)
        shape = random.choice([(2, 3), (2, 3, 4), (1, 4, 5, 6)])
        axes = sorted(random.sample(range(len(shape)), random.randint(1, len(shape))))
        keep = random.randrange(2)
        x, point = _codes(random, shape, dtype), _point(random, dtype)
        scale, to, to_point = _scale(random), _scale(random), _point(random, dtype)
        mean = _real(x, scale, point).mean(axis=tuple(axes), keepdims=bool(keep), dtype=np.float64)
        yield Case("QLinearReduceMean", [x, scale, point, to, to_point], 1,
                   {"axes": [axis - len(shape) * random.randrange(2) for axis in axes], "keepdims": keep},
                   opset=random.choice([13, 17, 18, 21]), tolerance=_ROUNDING,
                   expected=lambda mean=mean, to=to, point=to_point, dtype=dtype: [_quantized(mean, to, point, dtype)])


def _convolutions(random):
    for _ in range(40):
        last = random.randrange(2)
        groups = random.choice([1, 1, 2])
        channels, maps = 2 * groups, random.choice([2, 4, 8]) * groups
        spatial = random.choice([(7, 6), (5, 5)])
        x_type = _type(random)
        w_type = np.int8 if x_type == np.int8 else _type(random)
        shape = (random.choice([1, 2]),) + (spatial + (channels,) if last else (channels,) + spatial)
        kernel = [random.choice([1, 3]) for _ in spatial]
        attributes = {"channels_last": last, "group": groups, "kernel_shape": kernel,
                      "strides": random.choice([None, [2, 2], [1, 2]]), "pads": random.choice([None, [1, 1, 1, 1]])}
        per_map = random.random() < 0.4
        w_scale = random.uniform(0.01, 0.1, (maps,)).astype(F32) if per_map else _scale(random, 0.01, 0.1)
        w_point = np.zeros(maps, w_type) if per_map else _point(random, w_type)
        bias = random.integers(-1000, 1000, (maps,)).astype(np.int32) if random.random() < 0.5 else None
        yield Case("QLinearConv", [_codes(random, shape, x_type), _scale(random), _point(random, x_type),
                                   _codes(random, (maps, channels // groups, *kernel), w_type), w_scale, w_point,
                                   _scale(random, 0.5, 3.0), _point(random, x_type), bias], 1, attributes,
                   tolerance=_ROUNDING, constants=[3, 4, 5] if random.random() < 0.6 else None)


def _softmax_and_concat(random):
    for _ in range(40):
        dtype = _type(random)
        # Where a probability is 1, onnxruntime wraps 256 to 0.
        shape = random.choice([(2, 3), (2, 3, 4), (4, 10), (2, 3, 4, 5)])
        yield Case("QLinearSoftmax", [_codes(random, shape, dtype), _scale(random, 0.005, 0.015), _point(random, dtype),
                                      np.array(1 / 256, F32), np.array(np.iinfo(dtype).min, dtype)], 1,
                   {"axis": random.randint(-len(shape), len(shape) - 1), "opset": random.choice([9, 11, 13, 18])},
                   opset=random.choice([11, 13, 21]), tolerance=_ROUNDING, constants=[1, 2, 3, 4])
    for _ in range(30):
        dtype = _type(random)
        axis = random.randrange(3)
        inputs = [_scale(random), _point(random, dtype)]
        for _ in range(random.choice([1, 2, 3, 5])):
            shape = [2, 3, 4]
            shape[axis] = random.choice([1, 2, 6])
            inputs += [_codes(random, shape, dtype), _scale(random), _point(random, dtype)]
        yield Case("QLinearConcat", inputs, 1, {"axis": axis - 3 * random.randrange(2)}, tolerance=_ROUNDING)


def _products(random):
    for _ in range(40):
        a_type = _type(random)
        b_type = np.int8 if a_type == np.int8 else _type(random)
        m, k, n = random.choice([1, 3, 17]), random.choice([4, 32, 65]), random.choice([2, 16, 33])
        trans_a, trans_b = random.randrange(2), random.randrange(2)
        per_column = random.random() < 0.5
        b_scale = random.uniform(0.01, 0.1, (n,)).astype(F32) if per_column else _scale(random, 0.01, 0.1)
        b_point = _codes(random, (n,), b_type) // 4 if per_column else _point(random, b_type)
        c = None
        if random.random() < 0.6:
            c = random.integers(-500, 500, random.choice([(n,), (m, n), (1, n)])).astype(np.int32)
        is_float = random.random() < 0.4
        yield Case("QGemm", [_codes(random, (k, m) if trans_a else (m, k), a_type), _scale(random), _point(random, a_type),
                             _codes(random, (n, k) if trans_b else (k, n), b_type), b_scale, b_point, c,
                             None if is_float else _scale(random, 0.5, 3.0), None if is_float else _point(random, a_type)],
                   1, {"transA": trans_a, "transB": trans_b, "alpha": random.choice([1.0, 1.0, 0.5])},
                   tolerance=(1e-4, 1e-3) if is_float else _ROUNDING, constants=[3, 4, 5] if random.random() < 0.5 else None)
    for index in range(60):
        k, n = random.choice([4, 32, 65]), random.choice([2, 16, 33])
        rows = random.choice([(1,), (3,), (2, 3)])
        a_type = _type(random)
        b_type = np.int8 if index % 2 and a_type == np.int8 else _type(random)
        per_column = random.random() < 0.5
        b_scale = random.uniform(0.01, 0.1, (n,)).astype(F32) if per_column else _scale(random, 0.01, 0.1)
        b_point = _codes(random, (n,), b_type) // 4 if per_column else _point(random, b_type)
        bias = random.standard_normal((n,)).astype(F32) if random.random() < 0.5 else None
        b = _codes(random, (k, n), b_type)
        b_point = random.choice([None, b_point])
        if index % 2:
            yield Case("MatMulIntegerToFloat", [_codes(random, rows + (k,), a_type), b, _scale(random), b_scale,
                                                random.choice([None, _point(random, a_type)]), b_point, bias], 1,
                       tolerance=(1e-4, 1e-3))
        else:
            yield Case("DynamicQuantizeMatMul", [random.standard_normal(rows + (k,)).astype(F32), b, b_scale, b_point, bias],
                       1, tolerance=(1e-4, 1e-3))
    for _ in range(30):
        types = [np.int16, np.int16] if random.random() < 0.8 else [np.uint16, np.uint16]
        m, k, n = random.choice([1, 3]), random.choice([4, 33]), random.choice([2, 17])
        a, b = _codes(random, (m, k), types[0]), _codes(random, (k, n), types[1])
        made = (a.astype(np.int64) @ b.astype(np.int64)).astype(np.uint32 if types[0] == np.uint16 else np.int32)
        yield Case("MatMulInteger16", [a, b], 1,
                   expected=None if types[0] == np.int16 else lambda made=made: [made])


def _integer_arithmetic(random):
    for _ in range(30):
        dtype = _type(random)
        x, y = _broadcast_pair(random)
        a, b = _codes(random, x, dtype), _codes(random, y, dtype)
        a_point, b_point = [random.choice([None, _point(random, dtype)]) for _ in range(2)]
        made = (a.astype(np.int32) - int(a_point or 0)) * (b.astype(np.int32) - int(b_point or 0))
        yield Case("MulInteger", [a, a_point, b, b_point], 1, expected=lambda made=made: [made])
    for _ in range(30):
        dtype = _type(random)
        shape = random.choice([(2, 3), (2, 3, 4), (1, 4, 5, 6)])
        axes = sorted(random.sample(range(len(shape)), random.randint(1, len(shape))))
        keep = random.randrange(2)
        x = _codes(random, shape, dtype)
        made = x.astype(np.int32).sum(axis=tuple(axes), keepdims=bool(keep))
        yield Case("ReduceSumInteger", [x], 1, {"axes": axes, "keepdims": keep}, opset=random.choice([11, 13, 21]),
                   expected=lambda made=np.asarray(made), dtype=dtype: [
                       made.astype(np.uint32 if dtype == np.uint8 else np.int32)])


def _quantization(random):
    from ml_dtypes import int4, uint4
    for _ in range(60):
        dtype = random.choice([np.int8, np.uint8, np.int16, np.uint16, int4, uint4])
        low, high = {int4: (-8, 7), uint4: (0, 15)}.get(dtype) or (np.iinfo(dtype).min, np.iinfo(dtype).max)
        shape = random.choice([(4, 6), (2, 3, 4), (5,)])
        axis = random.choice([None] + list(range(len(shape))))
        count = () if axis is None else (shape[axis],)
        scale = random.uniform(0.01, 0.2, count or None)
        scale = np.asarray(scale, F32)
        point = random.integers(low // 2, high // 2 + 1, count).astype(dtype)
        if random.random() < 0.2 and dtype == np.uint8:
            point = None
        opset = random.choice([13, 17, 21])
        yield Case("QuantizeLinear", [random.standard_normal(shape).astype(F32), scale, point], 1, {"axis": axis},
                   opset=opset, tolerance=_ROUNDING)
        yield Case("DequantizeLinear", [random.integers(low, high + 1, shape).astype(dtype), scale, point], 1,
                   {"axis": axis}, opset=opset)


def cases(random):
    for family in (_elementwise, _pools, _convolutions, _softmax_and_concat, _products, _integer_arithmetic,
                   _quantization):
        yield from family(random)
