# Operators whose operands are indices: Gather, Scatter, ReverseSequence, and those that slice signals and images.
import numpy as np

from operand_case import WRONG_NUMBERS, Case, Operand, Undecided, check_size, decide, product, refuse_unless
from view_cases import normalized


def _indices(draw, wrong, size, shape):
    indices = draw.numpy.integers(-size, size, size=shape) if size else np.zeros(shape, dtype=np.int64)
    if wrong and indices.size:
        indices.reshape(-1)[draw.random.randrange(indices.size)] = draw.random.choice(
            [number for number in WRONG_NUMBERS if not -size <= number < size])
    return indices


def _check_indices(indices, size):
    refuse_unless(bool(np.all((indices >= -size) & (indices < size))))


def gather(draw, wrong):
    x = draw.data(draw.shape(1, 3, (1, 2, 3)))
    axis = draw.random.randrange(x.ndim)
    indices = _indices(draw, wrong, x.shape[axis], draw.shape(0, 2, (0, 1, 2, 3)))

    def oracle():
        _check_indices(indices, x.shape[axis])
        return [np.take(x, indices, axis=axis)]

    return decide(Case("Gather", 13, [Operand("x", x), draw.runtime("indices", indices)], {"axis": axis}), oracle)


def gather_elements(draw, wrong):
    x = draw.data(draw.shape(1, 3, (1, 2, 3)))
    axis = draw.random.randrange(x.ndim)
    shape = [draw.random.randint(0, size) if i != axis else draw.random.randint(0, 4) for i, size in enumerate(x.shape)]
    indices = _indices(draw, wrong, x.shape[axis], shape)

    def oracle():
        _check_indices(indices, x.shape[axis])
        part = x[tuple(slice(0, size) if i != axis else slice(None) for i, size in enumerate(shape))]
        return [np.take_along_axis(part, indices, axis=axis)]

    return decide(Case("GatherElements", 13, [Operand("x", x), draw.runtime("indices", indices)], {"axis": axis}), oracle)


def gather_nd(draw, wrong):
    x = draw.data(draw.shape(1, 3, (1, 2, 3)))
    depth = draw.random.randint(1, x.ndim)
    count = draw.random.randint(0, 3)
    columns = [draw.numpy.integers(-size, size, size=count) for size in x.shape[:depth]]
    indices = np.stack(columns, axis=-1)
    if wrong and indices.size:
        column = draw.random.randrange(depth)
        indices[draw.random.randrange(count), column] = draw.random.choice(
            [number for number in WRONG_NUMBERS if not -x.shape[column] <= number < x.shape[column]])

    def oracle():
        for i in range(depth):
            _check_indices(indices[:, i], x.shape[i])
        return [x[tuple(indices[:, i] for i in range(depth))]]

    return decide(Case("GatherND", 13, [Operand("x", x), draw.runtime("indices", indices)], {}), oracle)


def scatter_elements(draw, wrong):
    x = draw.data(draw.shape(1, 2, (1, 2, 3)), np.float32)
    axis = draw.random.randrange(x.ndim)
    shape = [draw.random.randint(1, size) if i != axis else 1 for i, size in enumerate(x.shape)]
    indices = _indices(draw, wrong, x.shape[axis], shape)
    updates = draw.data(shape, np.float32)

    def oracle():
        _check_indices(indices, x.shape[axis])
        result = x.copy()
        for place in np.ndindex(*shape):
            to = list(place)
            to[axis] = indices[place]
            result[tuple(to)] = updates[place]
        return [result]

    return decide(Case("ScatterElements", 13, [Operand("x", x), draw.runtime("indices", indices), Operand("updates", updates)],
                       {"axis": axis}), oracle)


def scatter_nd(draw, wrong):
    x = draw.data(draw.shape(1, 3, (1, 2, 3)), np.float32)
    indices = _indices(draw, wrong, x.shape[0], [1, 1])
    updates = draw.data([1] + list(x.shape[1:]), np.float32)

    def oracle():
        _check_indices(indices, x.shape[0])
        result = x.copy()
        result[indices[0, 0]] = updates[0]
        return [result]

    return decide(Case("ScatterND", 13, [Operand("x", x), draw.runtime("indices", indices), Operand("updates", updates)], {}),
                  oracle)


def reverse_sequence(draw, wrong):
    x = draw.data([draw.random.randint(1, 4), draw.random.randint(1, 3), 2], np.float32)
    lengths = [draw.random.randint(1, x.shape[0]) for _ in range(x.shape[1])]
    if wrong:
        lengths = draw.spoil(lengths)

    def oracle():
        refuse_unless(len(lengths) == x.shape[1] and all(0 <= length <= x.shape[0] for length in lengths))
        if 0 in lengths:
            raise Undecided
        result = x.copy()
        for batch, length in enumerate(lengths):
            result[:length, batch] = x[:length, batch][::-1]
        return [result]

    return decide(Case("ReverseSequence", 10, [Operand("x", x), draw.runtime("sequence_lens", lengths)],
                       {"batch_axis": 1, "time_axis": 0}), oracle)


def max_unpool(draw, wrong):
    x = draw.data([1, 1, 2, 2], np.float32)
    to = [1, 1, draw.random.randint(4, 6), draw.random.randint(4, 6)]
    places = np.array([0, 3, 8, 10], dtype=np.int64).reshape(1, 1, 2, 2)
    if wrong:
        to = draw.spoil(to)

    def oracle():
        refuse_unless(len(to) == 4)
        check_size(to)
        refuse_unless(to[:2] == [1, 1] and min(to[2:]) >= 4)
        result = np.zeros(to, dtype=np.float32)
        for place, value in zip(places.reshape(-1), x.reshape(-1)):
            result[0, 0, place // 4, place % 4] = value
        return [result]

    # Values are not compared: onnxruntime interprets indices in the new shape, the specification in the old.
    return decide(Case("MaxUnpool", 11, [Operand("x", x), Operand("places", places), draw.runtime("output_shape", to)],
                       {"kernel_shape": [2, 2], "strides": [2, 2]}, shape_only=True), oracle)


def affine_grid(draw, wrong):
    theta = draw.numpy.random((draw.random.randint(1, 2), 2, 3)).astype(np.float32)
    size = [theta.shape[0], draw.random.randint(1, 3), draw.random.randint(1, 4), draw.random.randint(1, 4)]
    if wrong:
        size = draw.spoil(size)

    def oracle():
        refuse_unless(len(size) == 4 and size[0] == theta.shape[0] and min(size) >= 1)
        check_size([size[0], size[2], size[3], 2])
        if size[1] > 2**31:
            raise Undecided
        return [np.zeros([size[0], size[2], size[3], 2])]

    return decide(Case("AffineGrid", 20, [Operand("x", theta), draw.runtime("size", size)], {}, shape_only=True), oracle)


def dft(draw, wrong):
    x = draw.data([draw.random.randint(1, 2), draw.random.randint(1, 6), 1], np.float32)
    length, axis = [draw.random.randint(1, 8)], [1]
    if wrong:
        which = draw.random.choice([length, axis])
        which[:] = draw.spoil(which)

    def oracle():
        refuse_unless(len(length) == 1 and len(axis) == 1 and length[0] >= 1)
        refuse_unless(-3 <= axis[0] < 3 and axis[0] not in (-1, 2))
        check_size(length)
        spectrum = np.fft.fft(x[..., 0], n=length[0], axis=axis[0] % 3)
        return [np.stack([spectrum.real, spectrum.imag], axis=-1).astype(np.float32)]

    def scalar(name, numbers):
        return draw.runtime(name, numbers[0] if len(numbers) == 1 else numbers)

    return decide(Case("DFT", 20, [Operand("x", x), scalar("dft_length", length), scalar("axis", axis)], {},
                       tolerance=1e-3), oracle)


def window(draw, wrong):
    size = draw.random.choice(WRONG_NUMBERS) if wrong else draw.random.randint(1, 6)

    def oracle():
        refuse_unless(size >= 0)
        check_size([size])
        if size == 0:
            raise Undecided
        return [np.zeros([size])]

    op_type = draw.random.choice(["HannWindow", "HammingWindow", "BlackmanWindow"])
    return decide(Case(op_type, 17, [draw.runtime("size", size)], {}, shape_only=True), oracle)


def col2im(draw, wrong):
    image, block = [draw.random.randint(2, 5), draw.random.randint(2, 5)], [draw.random.randint(1, 2) for _ in range(2)]
    columns = product(a - b + 1 for a, b in zip(image, block))
    x = draw.data([1, product(block) * 2, columns], np.float32)
    old_image, old_block = list(image), list(block)
    if wrong:
        which = draw.random.choice([image, block])
        which[:] = draw.spoil(which)

    def oracle():
        if (image, block) != (old_image, old_block):
            refuse_unless(len(image) == len(block) and min(image + block) >= 1)
            blocks = product(max(a - b + 1, 0) for a, b in zip(image, block))
            refuse_unless(x.shape[1] % product(block) == 0 and blocks == columns)
            check_size([x.shape[1] // product(block)] + image)
            raise Undecided
        return [np.zeros([1, 2] + image)]

    return decide(Case("Col2Im", 18, [Operand("x", x), draw.runtime("image", image), draw.runtime("block", block)], {},
                       shape_only=True), oracle)


CASES = [gather, gather, gather_elements, gather_nd, scatter_elements, scatter_nd, reverse_sequence, max_unpool, affine_grid,
         dft, window, col2im]
