# A test case of a run-time shape operand: the node, its inputs, and the expected outputs or refusal.
import dataclasses
import random

import numpy as np

INT64_MIN, INT64_MAX = -2**63, 2**63 - 1
# Invalid axes, sizes and indices for the small tensors here, and numbers whose sums or products overflow.
WRONG_NUMBERS = [INT64_MIN, INT64_MIN + 1, -2**62, -2**31, -100, -9, -2, -1, 0, 1, 2, 9, 100, 2**31 - 1, 2**31, 2**33,
                 2**44, 2**62, INT64_MAX]
# Outputs above this size are refused: the program runs with less memory.
MOST_ELEMENTS = 2**22


class Refused(Exception):
    """The operator has no result for these inputs."""


class Undecided(Exception):
    """The standard does not say whether these inputs have a result."""


@dataclasses.dataclass
class Operand:
    """`is_runtime`: contents that shapes or indices depend on, which graphs provide in several ways."""
    name: str
    array: np.ndarray
    is_runtime: bool = False


@dataclasses.dataclass
class Case:
    op_type: str
    opset: int
    operands: list
    attributes: dict
    # The outputs as arrays, "refused", or "any" if the standard does not say.
    expected: object = "any"
    outputs: int = 1
    domain: str = ""
    tolerance: float = 0.0
    # Only shapes are compared with the oracle; values are compared with onnxruntime.
    shape_only: bool = False
    # False if onnxruntime is known to behave differently.
    has_peer: bool = True


def decide(case, oracle):
    """The case with the expectation of its oracle."""
    try:
        case.expected = [np.asarray(value) for value in oracle()]
        if any(value.size > MOST_ELEMENTS for value in case.expected):
            case.expected = "refused"
    except Refused:
        case.expected = "refused"
    except Undecided:
        case.expected = "any"
    return case


def refuse_unless(condition):
    if not condition:
        raise Refused


def product(numbers):
    """A product of Python integers, which do not overflow."""
    result = 1
    for number in numbers:
        result *= int(number)
    return result


def check_size(shape):
    refuse_unless(all(size >= 0 for size in shape) and product(shape) <= MOST_ELEMENTS)
    # Empty, but longer along one axis than any tensor that can be stored.
    if any(size > 2**24 for size in shape):
        raise Undecided


class Draw:
    """Random choices for one case."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)

    def chance(self, probability):
        return self.random.random() < probability

    def shape(self, least_rank=0, most_rank=4, sizes=(0, 1, 1, 2, 3, 4)):
        return [self.random.choice(sizes) for _ in range(self.random.randint(least_rank, most_rank))]

    def data(self, shape, dtype=None):
        dtype = dtype or self.random.choice([np.float32, np.float32, np.int64, np.uint8, np.float64])
        return self.numpy.integers(0, 200, size=shape).astype(dtype)

    def runtime(self, name, numbers, dtype=np.int64):
        return Operand(name, np.array(numbers, dtype=dtype), True)

    def spoil(self, numbers, lengths=True):
        """Mostly invalid numbers: a changed number, another count, a duplicate."""
        numbers = [int(number) for number in numbers]
        for _ in range(self.random.choice([1, 1, 1, 2])):
            way = self.random.randrange(6)
            at = self.random.randrange(len(numbers)) if numbers else 0
            if way < 3 and numbers:
                numbers[at] = self.random.choice(WRONG_NUMBERS)
            elif way == 3 and numbers:
                numbers[at] += self.random.choice([-2, -1, 1, 2])
            elif way == 4 and lengths:
                if numbers and self.chance(0.5):
                    del numbers[at]
                else:
                    numbers.insert(at, self.random.choice(numbers or [0]))
            elif len(numbers) > 1:
                numbers[at] = numbers[at - 1]
            numbers = [max(min(number, INT64_MAX), INT64_MIN) for number in numbers]
        return numbers
