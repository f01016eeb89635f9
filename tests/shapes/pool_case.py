# Pools by the specification: the number of windows in ONNX's shape inference, and the elements in each.
import dataclasses
import itertools

import numpy as np


class NoSuchPool(Exception):
    """The output would have a negative size."""


@dataclasses.dataclass
class Pool:
    op_type: str
    kernel: list
    strides: list
    dilations: list
    pads: list
    ceil_mode: int
    auto_pad: str
    counts_pads: int = 0
    p: int = 2
    opset: int = 22

    def attributes(self):
        result = {"kernel_shape": self.kernel, "strides": self.strides, "ceil_mode": self.ceil_mode}
        if self.auto_pad == "NOTSET":
            result["pads"] = self.pads
        else:
            result["auto_pad"] = self.auto_pad
        if max(self.dilations) > 1:
            result["dilations"] = self.dilations
        if self.op_type == "AveragePool":
            result["count_include_pad"] = self.counts_pads
        if self.op_type == "LpPool":
            result["p"] = self.p
        return result

    def place(self, axis, size):
        """(outputs, begin pads, end pads) along an axis."""
        axes = len(self.kernel)
        stride = self.strides[axis]
        extent = (self.kernel[axis] - 1) * self.dilations[axis] + 1
        before, after = self.pads[axis], self.pads[axes + axis]
        if self.auto_pad == "VALID":
            before = after = 0
        elif self.auto_pad != "NOTSET":
            outputs = -(-size // stride)
            total = max((outputs - 1) * stride + extent - size, 0)
            before = total // 2 if self.auto_pad == "SAME_UPPER" else total - total // 2
            return outputs, before, total - before
        room = size + before + after - extent
        # Division toward zero, as in onnx's C++ code; before opset 22 ceil_mode rounded up.
        if self.ceil_mode and (room >= 0 or self.opset >= 22):
            room += stride - 1
        steps = room // stride if room >= 0 else -(-room // stride)
        outputs = steps + 1
        if outputs < 0:
            raise NoSuchPool
        if self.ceil_mode and steps * stride >= size + before:
            outputs -= 1
        return outputs, before, after

    def reaches_out(self, sizes):
        """Whether a window extends beyond the padding."""
        for axis, size in enumerate(sizes):
            outputs, before, after = self.place(axis, size)
            if (outputs - 1) * self.strides[axis] + (self.kernel[axis] - 1) * self.dilations[axis] + 1 > size + before + after:
                return True
        return False

    def has_peer(self, sizes):
        """Whether onnxruntime agrees: its SAME has negative pads, and before opset 19 it counts whole windows."""
        if self.auto_pad.startswith("SAME"):
            return all(stride <= kernel for stride, kernel in zip(self.strides, self.kernel))
        return not (self.counts_pads and self.opset < 19 and self.reaches_out(sizes))

    def compute(self, x):
        """The result, and the flat indices of the maxima; None if a window lies entirely outside the image."""
        places = [self.place(axis, size) for axis, size in enumerate(x.shape[2:])]
        shape = [outputs for outputs, _, _ in places]
        result = np.zeros(list(x.shape[:2]) + shape, dtype=np.float64)
        flat = np.zeros(result.shape, dtype=np.int64)
        numbers = np.arange(x.size).reshape(x.shape)
        for at in itertools.product(*(range(size) for size in shape)):
            inside, counted = [], 1
            for axis, index in enumerate(at):
                _, before, after = places[axis]
                start = index * self.strides[axis] - before
                steps = [start + k * self.dilations[axis] for k in range(self.kernel[axis])]
                size = x.shape[2 + axis]
                inside.append([step for step in steps if 0 <= step < size])
                counted *= sum(-before <= step < size + after for step in steps)
            if any(not steps for steps in inside):
                return None, None
            cut = np.ix_(range(x.shape[0]), range(x.shape[1]), *inside)
            window = x[cut].astype(np.float64).reshape(x.shape[0], x.shape[1], -1)
            to = (slice(None), slice(None)) + at
            if self.op_type == "MaxPool":
                result[to] = window.max(axis=-1)
                chosen = window.argmax(axis=-1)[..., None]
                flat[to] = np.take_along_axis(numbers[cut].reshape(window.shape), chosen, axis=-1)[..., 0]
            elif self.op_type == "AveragePool":
                result[to] = window.sum(axis=-1) / (counted if self.counts_pads else window.shape[-1])
            else:
                result[to] = (np.abs(window) ** self.p).sum(axis=-1) ** (1 / self.p)
        return result, flat


def draw_pool(random, axes, op_types=("MaxPool", "AveragePool", "LpPool")):
    """A pool and the sizes of an image, which is often smaller."""
    sizes = [random.randint(1, 9 if axes < 3 else 5) for _ in range(axes)]
    kernel = [random.randint(1, 5) for _ in range(axes)]
    pads = [random.choice([0, 0, random.randint(0, k - 1)]) for k in kernel + kernel]
    pool = Pool(op_type=random.choice(op_types), kernel=kernel, strides=[random.randint(1, 5) for _ in range(axes)],
                dilations=[random.choice([1, 1, 1, 2, 3]) for _ in range(axes)], pads=pads,
                ceil_mode=random.choice([0, 1, 1]),
                auto_pad=random.choice(["NOTSET"] * 5 + ["VALID", "SAME_UPPER", "SAME_LOWER"]),
                counts_pads=random.choice([0, 1]), p=random.choice([1, 2, 3]))
    if pool.auto_pad.startswith("SAME"):
        pool.dilations = [1] * axes
    if random.random() < 0.5:
        pool.opset = 18 if pool.op_type == "LpPool" else 19 if max(pool.dilations) > 1 else 12
    return pool, sizes
