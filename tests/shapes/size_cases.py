# Operators whose operands give sizes: Pad, TopK, OneHot, Range, Resize, CenterCropPad and similar ones.
import numpy as np

from operand_case import WRONG_NUMBERS, Case, Operand, Refused, Undecided, check_size, decide, product, refuse_unless
from view_cases import normalized


def _pad_axis(x, axis, before, after, mode):
    """Negative pads remove elements."""
    size = x.shape[axis]
    refuse_unless(0 <= size + before + after <= 2**24)
    if min(before, after) < 0:
        # Removes more than exists: onnxruntime fills in what the other side adds, the reference has no negative pads.
        if max(-before, -after) > size and mode == "constant":
            raise Undecided
        refuse_unless(-before <= size and -after <= size)
        x = np.take(x, np.arange(max(-before, 0), size - max(-after, 0)), axis=axis)
    around = [(0, 0)] * x.ndim
    around[axis] = (max(before, 0), max(after, 0))
    if max(around[axis]) == 0:
        return x
    if mode != "constant":
        refuse_unless(x.shape[axis] > 0)
    check_size([a + sum(b) for a, b in zip(x.shape, around)])
    if mode == "reflect":
        # numpy before 2.0 reflects in steps, and incorrectly if it needs several.
        period = max(2 * (x.shape[axis] - 1), 1)
        places = np.arange(-around[axis][0], x.shape[axis] + around[axis][1]) % period
        return np.take(x, np.minimum(places, period - places) if x.shape[axis] > 1 else places, axis=axis)
    return np.pad(x, around, mode=mode, **({"constant_values": 0} if mode == "constant" else {}))


def pad(draw, wrong):
    x = draw.data(draw.shape(1, 3, (1, 2, 3)), np.float32)
    mode = draw.random.choice(["constant", "constant", "edge", "reflect"])
    has_axes = draw.chance(0.5)
    axes = draw.random.sample(range(x.ndim), draw.random.randint(1, x.ndim)) if has_axes else list(range(x.ndim))
    most = [x.shape[axis] - 1 if mode == "reflect" else 3 for axis in axes]
    pads = [draw.random.randint(-1 if draw.chance(0.2) else 0, high) for high in most + most]
    signed = [axis - x.ndim if draw.chance(0.4) else axis for axis in axes]
    if wrong:
        which = signed if has_axes and draw.chance(0.5) else pads
        which[:] = draw.spoil(which)

    def oracle():
        places = normalized(signed, x.ndim) if has_axes else axes
        refuse_unless(len(pads) == 2 * len(places))
        check_size([max(x.shape[p] + pads[i] + pads[i + len(places)], 1) for i, p in enumerate(places)])
        result = x
        for i, place in enumerate(places):
            result = _pad_axis(result, place, pads[i], pads[i + len(places)], mode)
        return [result]

    operands = [Operand("x", x), draw.runtime("pads", pads)]
    if has_axes:
        operands += [None, draw.runtime("axes", signed)]
    return decide(Case("Pad", 18, operands, {"mode": mode}), oracle)


def top_k(draw, wrong):
    x = draw.numpy.permutation(48).astype(np.float32)[:product(s := draw.shape(1, 3, (1, 2, 3)))].reshape(s)
    axis = draw.random.randrange(x.ndim)
    k = [draw.random.randint(0, x.shape[axis])]
    if wrong:
        k = draw.spoil(k)

    def oracle():
        refuse_unless(len(k) == 1 and 0 <= k[0] <= x.shape[axis])
        order = np.take(np.argsort(-x, axis=axis, kind="stable"), np.arange(k[0]), axis=axis)
        return [np.take_along_axis(x, order, axis=axis), order]

    return decide(Case("TopK", 11, [Operand("x", x), draw.runtime("k", k)], {"axis": axis}, outputs=2), oracle)


def one_hot(draw, wrong):
    indices = draw.numpy.integers(-3, 4, size=draw.shape(0 if wrong else 1, 2, (0, 1, 2, 3)))
    depth = [draw.random.randint(1, 5)]
    if wrong:
        depth = draw.spoil(depth)

    def oracle():
        refuse_unless(indices.ndim >= 1 and len(depth) == 1 and depth[0] >= 1)
        check_size(list(indices.shape) + depth)
        shifted = np.where(indices < 0, indices + depth[0], indices)
        return [(shifted[..., None] == np.arange(depth[0])).astype(np.float32) * 4 + 1]

    values = Operand("values", np.array([1, 5], dtype=np.float32))
    return decide(Case("OneHot", 11, [Operand("x", indices), draw.runtime("depth", depth), values], {}), oracle)


def constant_of_shape(draw, wrong):
    shape = draw.shape(0, 4)
    if wrong:
        shape = draw.spoil(shape)

    def oracle():
        if 0 in shape and max(shape) > 2**43:
            refuse_unless(min(shape) >= 0)
            raise Undecided
        check_size(shape)
        return [np.zeros(shape, dtype=np.float32)]

    return decide(Case("ConstantOfShape", draw.random.choice([9, 20]), [draw.runtime("shape", shape)], {}), oracle)


def range_(draw, wrong):
    numbers = [draw.random.randint(-5, 5), draw.random.randint(-9, 9), draw.random.choice([-3, -1, 1, 2, 4])]
    if wrong:
        numbers[draw.random.choice([0, 1, 2, 2])] = draw.random.choice(WRONG_NUMBERS)
    dtype = draw.random.choice([np.int64, np.int64, np.float32])

    def oracle():
        start, limit, delta = (int(dtype(number)) for number in numbers)
        refuse_unless(delta != 0)
        count = max(-((start - limit) // delta), 0)
        check_size([count])
        return [np.array([start + i * delta for i in range(count)], dtype=np.float64 if dtype is np.float32 else object)
                .astype(dtype)]

    names = ["start", "limit", "delta"]
    case = Case("Range", 11, [draw.runtime(name, number, dtype) for name, number in zip(names, numbers)], {},
                tolerance=1e-5)
    return decide(case, oracle)


def center_crop_pad(draw, wrong):
    x = draw.data(draw.shape(1, 3, (1, 2, 3, 5)), np.float32)
    axes = draw.random.sample(range(x.ndim), draw.random.randint(1, x.ndim)) if draw.chance(0.5) else None
    count = len(axes) if axes else x.ndim
    sizes = [draw.random.randint(0, 6) for _ in range(count)]
    if wrong:
        sizes = draw.spoil(sizes)

    def oracle():
        refuse_unless(len(sizes) == count)
        check_size(sizes)
        result = x
        for axis, size in zip(axes if axes else range(x.ndim), sizes):
            old = result.shape[axis]
            if size < old:
                begin = (old - size) // 2
                result = np.take(result, np.arange(begin, begin + size), axis=axis)
            else:
                around = [(0, 0)] * x.ndim
                around[axis] = ((size - old) // 2, size - old - (size - old) // 2)
                result = np.pad(result, around)
        return [result]

    return decide(Case("CenterCropPad", 18, [Operand("x", x), draw.runtime("shape", sizes)], {"axes": axes} if axes else {}),
                  oracle)


def resize(draw, wrong):
    x = draw.data(draw.shape(1, 4, (1, 2, 3)), np.float32)
    by_sizes = draw.chance(0.6)
    numbers = [draw.random.randint(1, 5) if by_sizes else draw.random.choice([0.5, 1, 2, 3]) for _ in x.shape]
    if wrong and by_sizes:
        numbers = draw.spoil(numbers)
    elif wrong:
        numbers[draw.random.randrange(len(numbers))] = draw.random.choice([0, -1, -0.5, np.nan, np.inf, -np.inf, 1e30])
        if draw.chance(0.3):
            numbers.append(1)

    def oracle():
        refuse_unless(len(numbers) == x.ndim)
        if by_sizes:
            check_size(numbers)
            if 0 in numbers:
                raise Undecided
            sizes = numbers
        else:
            refuse_unless(all(number > 0 and np.isfinite(number) for number in numbers))
            refuse_unless(max(numbers) < 1e6)
            sizes = [int(np.floor(np.float32(size) * np.float32(number))) for size, number in zip(x.shape, numbers)]
            if 0 in sizes:
                raise Undecided
        result = x
        for axis, size in enumerate(sizes):
            scale = size / x.shape[axis] if by_sizes else numbers[axis]
            places = np.clip(np.floor(np.arange(size) / np.float32(scale)), 0, x.shape[axis] - 1).astype(np.int64)
            result = np.take(result, places, axis=axis)
        return [result]

    attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if by_sizes:
        operands = [Operand("x", x), None, None, draw.runtime("sizes", numbers)]
    else:
        operands = [Operand("x", x), None, draw.runtime("scales", numbers, np.float32)]
    # No rule says whether a quotient is rounded before it is truncated.
    return decide(Case("Resize", draw.random.choice([13, 19]), operands, attributes, shape_only=True), oracle)


def trilu(draw, wrong):
    x = draw.data(draw.shape(2, 3, (0, 1, 2, 3, 4)), np.float32)
    k = draw.random.choice(WRONG_NUMBERS) if wrong else draw.random.randint(-4, 4)
    count = draw.random.choice([0, 2]) if wrong and draw.chance(0.5) else 1
    upper = draw.random.choice([0, 1])

    def oracle():
        refuse_unless(count == 1)
        near = max(min(k, 100), -100)
        return [(np.triu if upper else np.tril)(x, near)]

    numbers = k if count == 1 else [k] * count
    return decide(Case("Trilu", 14, [Operand("x", x), draw.runtime("k", numbers)], {"upper": upper}), oracle)


def cum_sum(draw, wrong):
    x = draw.data(draw.shape(1, 3, (0, 1, 2, 3)), np.float32)
    axis = draw.random.choice(WRONG_NUMBERS) if wrong else draw.random.randint(-x.ndim, x.ndim - 1)
    count = draw.random.choice([0, 2]) if wrong and draw.chance(0.3) else 1

    def oracle():
        refuse_unless(count == 1)
        return [np.cumsum(x, axis=normalized([axis], x.ndim)[0])]

    numbers = axis if count == 1 else [axis] * count
    return decide(Case("CumSum", 14, [Operand("x", x), draw.runtime("axis", numbers)], {}, tolerance=1e-6), oracle)


def reduction(draw, wrong):
    x = draw.data(draw.shape(0, 3, (1, 2, 3)), np.float32)
    axes = draw.random.sample(range(x.ndim), draw.random.randint(0, x.ndim))
    axes = [axis - x.ndim if draw.chance(0.4) else axis for axis in axes]
    if wrong:
        axes = draw.spoil(axes)
    keep, noop = draw.random.choice([0, 1]), draw.random.choice([0, 1])
    op_type = draw.random.choice(["ReduceSum", "ReduceMax", "ReduceMean", "ReduceProd"])

    def oracle():
        places = normalized(axes, x.ndim, is_twice_undecided=True)
        if not axes:
            if noop:
                return [x]
            places = list(range(x.ndim))
        compute = {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMean": np.mean, "ReduceProd": np.prod}[op_type]
        return [compute(x, axis=tuple(places), keepdims=bool(keep)).astype(np.float32)]

    return decide(Case(op_type, 18, [Operand("x", x), draw.runtime("axes", axes)],
                       {"keepdims": keep, "noop_with_empty_axes": noop}, tolerance=1e-5), oracle)


CASES = [pad, pad, top_k, one_hot, constant_of_shape, range_, center_crop_pad, resize, resize, trilu, cum_sum, reduction]
