# Operators that move or reshape elements, with operands that give axes or sizes: Squeeze to Split.
import numpy as np

from operand_case import Case, Operand, Refused, Undecided, check_size, decide, product, refuse_unless


def normalized(axes, rank, is_twice_undecided=False):
    """Nonnegative axes; refused outside [-rank, rank) and if duplicated."""
    result = []
    for axis in axes:
        refuse_unless(-rank <= axis < rank)
        result.append(int(axis) % rank)
    if len(set(result)) != len(result):
        raise Undecided if is_twice_undecided else Refused
    return result


def squeeze(draw, wrong):
    shape = draw.shape(sizes=(1, 1, 2, 3))
    x = draw.data(shape)
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axes = draw.random.sample(ones, draw.random.randint(0, len(ones)))
    axes = [axis - len(shape) if draw.chance(0.4) else axis for axis in axes]
    if wrong:
        axes = draw.spoil(axes) if draw.chance(0.6) else [draw.random.randint(-5, 4) for _ in range(len(shape))]

    def oracle():
        places = normalized(axes, len(shape), is_twice_undecided=True)
        refuse_unless(all(shape[place] == 1 for place in places))
        return [x.reshape([size for axis, size in enumerate(shape) if axis not in places])]

    # For an empty list, onnxruntime squeezes every dimension of 1, ONNX's shape inference and numpy none.
    return decide(Case("Squeeze", draw.random.choice([13, 21]), [Operand("x", x), draw.runtime("axes", axes)], {},
                       has_peer=bool(axes)), oracle)


def unsqueeze(draw, wrong):
    x = draw.data(draw.shape(most_rank=3))
    rank = x.ndim + draw.random.randint(0, 2)
    axes = draw.random.sample(range(rank), rank - x.ndim)
    axes = [axis - rank if draw.chance(0.4) else axis for axis in axes]
    if wrong:
        axes = draw.spoil(axes)

    def oracle():
        places = normalized(axes, x.ndim + len(axes))
        rest = iter(x.shape)
        return [x.reshape([1 if axis in places else next(rest) for axis in range(x.ndim + len(axes))])]

    return decide(Case("Unsqueeze", draw.random.choice([13, 21]), [Operand("x", x), draw.runtime("axes", axes)], {}), oracle)


def _factors(draw, count):
    factors = []
    while count > 1:
        factor = next(f for f in (2, 3, 5, 7, count) if count % f == 0)
        factors.append(factor)
        count //= factor
    draw.random.shuffle(factors)
    while len(factors) > 1 and draw.chance(0.5):
        factors[0] *= factors.pop()
    for _ in range(draw.random.randint(0, 2)):
        factors.insert(draw.random.randint(0, len(factors)), 1)
    return factors


def reshape(draw, wrong):
    x = draw.data(draw.shape(sizes=(1, 2, 3, 4) if draw.chance(0.85) else (0, 1, 2)))
    allowzero = draw.random.choice([0, 0, 0, 1])
    to = _factors(draw, x.size) if x.size else list(x.shape)
    for i in range(min(len(to), x.ndim)):
        if to[i] == x.shape[i] and not allowzero and draw.chance(0.4):
            to[i] = 0
    if to and x.size and draw.chance(0.4):
        to[draw.random.randrange(len(to))] = -1
    if wrong:
        to = draw.spoil(to)

    def oracle():
        refuse_unless(to.count(-1) <= 1 and all(number >= -1 for number in to))
        refuse_unless(allowzero or all(i < x.ndim for i, number in enumerate(to) if number == 0))
        if allowzero and 0 in to and -1 in to:
            raise Refused
        sizes = [x.shape[i] if number == 0 and not allowzero else number for i, number in enumerate(to)]
        if -1 in sizes:
            rest = product(size for size in sizes if size != -1)
            if rest == 0:
                refuse_unless(x.size == 0)
                raise Undecided
            refuse_unless(x.size % rest == 0)
            sizes[sizes.index(-1)] = x.size // rest
        refuse_unless(product(sizes) == x.size)
        if any(size > 2**43 for size in sizes):
            raise Undecided
        return [x.reshape(sizes)]

    attributes = {"allowzero": 1} if allowzero else {}
    return decide(Case("Reshape", 14, [Operand("x", x), draw.runtime("shape", to)], attributes), oracle)


def expand(draw, wrong):
    x = draw.data(draw.shape(most_rank=3))
    to = [size if size != 1 or draw.chance(0.4) else draw.random.randint(1, 4) for size in x.shape]
    to = [1 if draw.chance(0.3) else size for size in to]
    to = to[draw.random.randint(0, len(to)):] if draw.chance(0.2) else draw.shape(0, 2, (1, 2, 3)) + to
    if wrong:
        to = draw.spoil(to)

    def oracle():
        refuse_unless(all(size >= 0 for size in to))
        for mine, wanted in zip(reversed(x.shape), reversed(to)):
            refuse_unless(mine == wanted or mine == 1 or wanted == 1)
        rank = max(x.ndim, len(to))
        mine = [1] * (rank - x.ndim) + list(x.shape)
        wanted = [1] * (rank - len(to)) + to
        shape = [b if a == 1 else a for a, b in zip(mine, wanted)]
        check_size(shape)
        return [np.broadcast_to(x, shape)]

    return decide(Case("Expand", 13, [Operand("x", x), draw.runtime("shape", to)], {}), oracle)


def slice_(draw, wrong):
    x = draw.data(draw.shape(1, 4, (0, 1, 2, 3, 5)))
    axes = draw.random.sample(range(x.ndim), draw.random.randint(1, x.ndim))
    bounds = [-2**63, -9, -3, -1, 0, 1, 2, 4, 9, 2**31 - 1, 2**63 - 1]
    starts = [draw.random.choice(bounds) for _ in axes]
    ends = [draw.random.choice(bounds) for _ in axes]
    steps = [draw.random.choice([1, 1, 2, 3, -1, -2, 2**62, -2**62]) for _ in axes]
    signed = [axis - x.ndim if draw.chance(0.4) else axis for axis in axes]
    has_axes, has_steps = draw.chance(0.8), draw.chance(0.7)
    if wrong:
        which = draw.random.choice([starts, ends, signed, signed, steps])
        which[:] = draw.spoil(which) if which is not steps or draw.chance(0.5) else [0] * len(steps)

    def oracle():
        used = signed if has_axes else list(range(len(starts)))
        counts = [len(starts), len(ends), len(used)] + ([len(steps)] if has_steps else [])
        refuse_unless(len(set(counts)) == 1 and len(used) <= x.ndim)
        places = normalized(used, x.ndim)
        cut = [slice(None)] * x.ndim
        for i, place in enumerate(places):
            step = steps[i] if has_steps else 1
            refuse_unless(step != 0)
            start, end = (max(min(bound, 2**40), -2**40) for bound in (starts[i], ends[i]))
            size = x.shape[place]
            start = start + size if start < 0 else start
            end = end + size if end < 0 else end
            low, high = (0, size) if step > 0 else (-1, size - 1)
            start = max(min(start, high), max(low, 0) if step < 0 else low)
            if step < 0 and size == 0:
                cut[place] = []
                continue
            end = max(min(end, high), low)
            cut[place] = list(range(start, end, step))
        result = x
        for place, chosen in enumerate(cut):
            if not isinstance(chosen, slice):
                result = np.take(result, np.array(chosen, dtype=np.int64), axis=place)
        return [result]

    operands = [Operand("x", x), draw.runtime("starts", starts), draw.runtime("ends", ends)]
    if has_axes or has_steps:
        operands.append(draw.runtime("axes", signed) if has_axes else None)
    if has_steps:
        operands.append(draw.runtime("steps", steps))
    # With negative steps, onnxruntime takes the largest integer to mean "to the front", numpy does not.
    has_peer = not any(end >= 2**31 - 1 for end in ends) or not has_steps or min(steps, default=1) > 0
    return decide(Case("Slice", draw.random.choice([10, 13]), operands, {}, has_peer=has_peer), oracle)


def tile(draw, wrong):
    x = draw.data(draw.shape(most_rank=3))
    repeats = [draw.random.choice([0, 1, 1, 2, 3]) for _ in x.shape]
    if wrong:
        repeats = draw.spoil(repeats)

    def oracle():
        refuse_unless(len(repeats) == x.ndim and all(number >= 0 for number in repeats))
        if any(number > 2**43 for number in repeats) and (0 in x.shape or 0 in repeats):
            raise Undecided
        check_size([size * number for size, number in zip(x.shape, repeats)])
        return [np.tile(x, repeats) if repeats else x]

    return decide(Case("Tile", 13, [Operand("x", x), draw.runtime("repeats", repeats)], {}), oracle)


def split(draw, wrong):
    x = draw.data(draw.shape(1, 3, (0, 1, 2, 3, 6)))
    axis = draw.random.randrange(x.ndim)
    count = draw.random.randint(1, 3)
    borders = sorted(draw.random.randint(0, x.shape[axis]) for _ in range(count - 1))
    sizes = [b - a for a, b in zip([0] + borders, borders + [x.shape[axis]])]
    if wrong:
        sizes = draw.spoil(sizes)

    def oracle():
        refuse_unless(len(sizes) == count and all(size >= 0 for size in sizes) and sum(sizes) == x.shape[axis])
        return np.split(x, np.cumsum(sizes)[:-1], axis=axis)

    attributes = {"axis": axis - x.ndim if draw.chance(0.3) else axis}
    return decide(Case("Split", draw.random.choice([13, 18]), [Operand("x", x), draw.runtime("split", sizes)], attributes,
                       outputs=count), oracle)


CASES = [squeeze, squeeze, unsqueeze, reshape, reshape, expand, expand, slice_, slice_, tile, split]
