# Random cases of ai.onnx.preview's FlexAttention with graphs that modify scores and weights, by numpy.
import math

import ml_dtypes
import numpy
from onnx import TensorProto, helper, numpy_helper

from case import Case

_TYPES = {numpy.dtype(numpy.float32): TensorProto.FLOAT, numpy.dtype(numpy.float64): TensorProto.DOUBLE,
          numpy.dtype(numpy.float16): TensorProto.FLOAT16, numpy.dtype(ml_dtypes.bfloat16): TensorProto.BFLOAT16}


def graph(name, kind, nodes, constants=()):
    """A modifier whose nodes read "s" and the constants, by name, and write "t"."""
    shape = ["b", "h", "l", "k"]
    return helper.make_graph(
        nodes, name, [helper.make_tensor_value_info("s", _TYPES[kind], shape)],
        [helper.make_tensor_value_info("t", _TYPES[kind], shape)],
        [numpy_helper.from_array(numpy.asarray(value), key) for key, value in constants])


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), [output], **attributes)


def softcap(random, kind, sizes):
    cap = numpy.array(random.choice([2, 5, 20]), kind)
    nodes = [node("Div", "s cap", "a"), node("Tanh", "a", "b"), node("Mul", "b cap", "t")]
    return nodes, [("cap", cap)], lambda s, q: numpy.tanh(s / cap) * cap


def bias(random, kind, sizes):
    shape = [random.choice([1, size]) for size in sizes]
    while len(shape) > 1 and shape[0] == 1 and random.random() < 0.5:
        shape = shape[1:]
    value = random.standard_normal(shape).astype(kind)
    return [node("Add", random.choice(["s bias", "bias s"]), "t")], [("bias", value)], lambda s, q: s + value


def masked(random, kind, sizes):
    """Keys after the query, by indices that the graph makes of the shape."""
    nodes = [node("Shape", "s", "rows", start=2, end=3), node("Shape", "s", "columns", start=3, end=4),
             node("Squeeze", "rows", "l"), node("Squeeze", "columns", "k"),
             node("Range", "zero l one", "i"), node("Range", "zero k one", "j"), node("Unsqueeze", "i one_axis", "i1"),
             node("GreaterOrEqual", "i1 j", "sees"), node("Where", "sees s low", "t")]
    low = numpy.array(random.choice([-numpy.inf, -1e4]), kind)
    constants = [("zero", numpy.int64(0)), ("one", numpy.int64(1)), ("one_axis", numpy.array([1], numpy.int64)), ("low", low)]

    def compute(s, q):
        rows, columns = numpy.indices(s.shape[2:])
        return numpy.where(rows >= columns, s, low)

    return nodes, constants, compute


def distances(random, kind, sizes):
    """ALiBi: a slope for each head times the distance."""
    slopes = (2.0 ** -numpy.arange(1, sizes[1] + 1)).astype(kind).reshape(-1, 1, 1)
    steps = -abs(numpy.arange(sizes[2])[:, None] - numpy.arange(sizes[3])).astype(kind)
    return ([node("Mul", "slopes steps", "a"), node("Add", "s a", "t")], [("slopes", slopes), ("steps", steps)],
            lambda s, q: s + slopes * steps)


def captured(random, kind, sizes):
    """Reads the operator's own queries."""
    nodes = [node("Cast", "x0", "q", to=_TYPES[numpy.dtype(kind)]), node("ReduceMax", "q last", "a"), node("Add", "s a", "t")]
    return nodes, [("last", numpy.array([3], numpy.int64))], lambda s, q: s + q.astype(kind).max(3, keepdims=True)


def nested(random, kind, sizes):
    """Holds graphs itself, which read what is around them."""
    branches = [helper.make_graph([helper.make_node("Mul", ["s", factor], ["r"])], factor, [],
                                  [helper.make_tensor_value_info("r", _TYPES[numpy.dtype(kind)], None)])
                for factor in ("half", "two")]
    nodes = [node("ReduceMax", "s", "a", keepdims=0), node("Greater", "a two", "b"),
             helper.make_node("If", ["b"], ["t"], then_branch=branches[0], else_branch=branches[1])]
    half, two = numpy.array(0.5, kind), numpy.array(2, kind)
    return nodes, [("half", half), ("two", two)], lambda s, q: s * (half if s.max() > two else two)


def unchanged(random, kind, sizes):
    return [node("Identity", "s", "t")], [], lambda s, q: s


def kept_weights(random, kind, sizes):
    """Drops some weights."""
    keeps = (random.random(sizes) < 0.7).astype(kind)
    return [node("Mul", "s keeps", "t")], [("keeps", keeps)], lambda s, q: s * keeps


def squared_weights(random, kind, sizes):
    nodes = [node("Mul", "s s", "a"), node("ReduceSum", "a last", "b"), node("Div", "a b", "t")]

    def compute(s, q):
        return s * s / (s * s).sum(-1, keepdims=True)

    return nodes, [("last", numpy.array([-1], numpy.int64))], compute


def attention(inputs, scale, precision, change_scores, change_weights):
    queries, keys, values = (each.astype(numpy.float64) for each in inputs)
    kind = inputs[0].dtype
    groups = queries.shape[1] // keys.shape[1]
    keys, values = keys.repeat(groups, 1), values.repeat(groups, 1)
    scale = 1 / math.sqrt(queries.shape[3]) if scale is None else scale
    wide = numpy.float64 if kind == numpy.float64 or precision == numpy.float64 else numpy.float32
    scores = (queries @ keys.swapaxes(2, 3) * scale).astype(wide)
    if change_scores:
        scores = change_scores(scores, inputs[0])
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    if change_weights:
        weights = change_weights(weights, inputs[0])
    return [(weights @ values).astype(kind)]


def flex_attention(random):
    for index in range(120):
        batch, shared, groups = random.randint(1, 3), random.choice([1, 2, 3]), random.choice([1, 1, 2, 4])
        length, count = random.choice([1, 3, 8, 17]), random.choice([1, 4, 9, 33])
        size, value_size = random.choice([2, 4, 8, 16]), random.choice([1, 4, 8])
        kind = numpy.dtype(random.choice([numpy.float32, numpy.float32, numpy.float32, numpy.float64, numpy.float16,
                                          ml_dtypes.bfloat16]))
        inputs = [random.standard_normal(shape).astype(kind) for shape in (
            (batch, shared * groups, length, size), (batch, shared, count, size), (batch, shared, count, value_size))]
        precision = numpy.dtype(random.choice([numpy.float32, numpy.float64])) if random.random() < 0.3 else None
        inner = precision or (kind if kind == numpy.float64 else numpy.dtype(numpy.float32))
        sizes = (batch, shared * groups, length, count)
        scale = random.choice([None, None, 0.125, 1.0])
        attributes = {"scale": scale, "softmax_precision": precision and _TYPES[precision]}
        changes = [None, None]
        score_changes = [softcap, bias, masked, distances, captured, nested, unchanged, None]
        for place, name, make in ((0, "score_mod", score_changes[index % len(score_changes)]),
                                  (1, "prob_mod", random.choice([None, None, kept_weights, squared_weights, unchanged, nested]))):
            if make is None:
                continue
            if make is nested and kind.itemsize == 2:
                make = unchanged  # which branch is taken may depend on the rounding of scores
            nodes, constants, changes[place] = make(random, inner, sizes)
            attributes[name] = graph(name, inner, nodes, constants)
        # Scores of 16 bits are rounded before they are widened.
        tolerance = {2: (2e-2, 2e-2) if kind == numpy.float16 else (1e-1, 1e-1)}.get(kind.itemsize)
        if kind == numpy.float64 and inner == numpy.float32:
            tolerance = (1e-4, 1e-5)
        yield Case("FlexAttention", inputs, 1, {key: value for key, value in attributes.items() if value is not None},
                   domain="ai.onnx.preview", opset=26, tolerance=tolerance,
                   expected=lambda inputs=inputs, scale=scale, inner=inner, changes=changes: attention(
                       inputs, scale, inner, *changes))


def cases(random):
    yield from flex_attention(random)
