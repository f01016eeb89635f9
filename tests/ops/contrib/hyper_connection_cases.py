# Random cases of com.microsoft's operators for hyper-connections and for relative position biases.
import numpy

from case import Case
from packed_cases import places_of


def floats(random, *shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(numpy.float32)


def streams(random):
    """Sizes in front, branches, features, and the value of num_branches: 0 for streams in an axis of their own."""
    front = [random.randint(1, 3) for _ in range(random.randint(0, 2))]
    branches, features = random.choice([1, 2, 4]), random.choice([3, 5, 16])
    return front, branches, features, random.choice([0, branches])


def hyper_connections(random):
    for index in range(40):
        kind = numpy.float16 if index % 5 == 4 else numpy.float32
        front, branches, features, given = streams(random)
        shape = (*front, branches * features) if given else (*front, branches, features)
        attributes = {"num_branches": given or None}
        x = floats(random, *shape).astype(kind)
        forms = [(branches,), (branches, 1), (branches, features)] + ([(branches * features,)] if given else [])
        mix = floats(random, *front, *random.choice(forms))
        yield Case("HyperConnectionPreMix", [x, mix], 1, attributes | {"reduction_scale": random.choice([None, 0.5])})
        mix = floats(random, *front, *random.choice(forms[:3]))
        matrix = floats(random, *front, branches, branches) if random.random() < 0.5 else None
        yield Case("HyperConnectionPostMix", [x, floats(random, *front, features).astype(kind), mix, matrix], 1, attributes)
        scale = random.choice([None, (features,), (branches, features), (branches * features,)])
        yield Case("BranchwiseRMSNorm", [x, None if scale is None else floats(random, *scale)], 1,
                   attributes | {"epsilon": random.choice([None, 1e-3])})


def engram_gate(random):
    for index in range(32):
        kind = numpy.float16 if index % 5 == 4 else numpy.float32
        batch, length, branches, width = (random.randint(1, 3), random.randint(1, 4), random.randint(1, 3),
                                          random.choice([4, 16, 33]))
        has_normed = random.random() < 0.5
        inputs = [floats(random, batch, length, branches, width), floats(random, batch, length, branches, width),
                  floats(random, batch, length, width), floats(random, branches, width), floats(random, branches, width)]
        inputs += [floats(random, branches, width)] if has_normed else []
        yield Case("EngramGate", [each.astype(kind) for each in inputs], [True, has_normed],
                   {"epsilon": random.choice([None, 1e-3])})


def relative_position_bias(random):
    for _ in range(32):
        heads, buckets = random.randint(1, 4), random.choice([8, 16, 32])
        is_bidirectional, most = random.randint(0, 1), random.choice([20, 128])
        length = random.choice([1, 5, 40, 150])
        table = floats(random, buckets, heads)

        def expected(table=table, is_bidirectional=is_bidirectional, most=most, length=length):
            places = numpy.arange(length)
            behind = places[:, None] - places
            count, first = len(table), 0
            if is_bidirectional:
                count //= 2
                first, behind = (behind < 0) * count, abs(behind)
            behind = numpy.maximum(behind, 0)
            near = count // 2
            ratio = numpy.log(numpy.maximum(behind, 1).astype(numpy.float32) / numpy.float32(near))
            far = near + (ratio * numpy.float32((count - near) / numpy.log(most / near))).astype(numpy.int64)
            found = first + numpy.where(behind < near, behind, numpy.minimum(far, count - 1))
            return [table.reshape(table.shape[1], -1)[:, found][None]]

        yield Case("RelativePositionBias", [table, numpy.array([length], numpy.int64), numpy.array([length], numpy.int64)], 1,
                   {"max_distance": most, "is_bidirectional": is_bidirectional}, expected=expected, constants=[0])


def gated_relative_position_bias(random):
    for _ in range(40):
        batch, heads, length, size, gates = (random.randint(1, 3), random.randint(1, 3), random.randint(1, 6),
                                             random.choice([4, 8]), random.choice([2, 8]))
        query, query_bias = floats(random, batch, length, heads * size), floats(random, heads * size)
        rest = [floats(random, 1, heads, length, length), floats(random, size, gates), floats(random, gates),
                floats(random, 1, heads, 1, 1)]

        given, places = query, None
        if random.random() < 0.4:
            lengths = [random.randint(1, length) for _ in range(batch)]
            places = places_of(lengths, length)
            given = query.reshape(-1, heads * size)[places.ravel()[:sum(lengths)]]
            query.reshape(-1, heads * size)[places.ravel()[sum(lengths):]] = 0

        def expected(query=query, query_bias=query_bias, rest=rest):
            split = (query + query_bias).reshape(query.shape[0], query.shape[1], rest[0].shape[1], -1).transpose(0, 2, 1, 3)
            both = (split @ rest[1] + rest[2]).reshape(*split.shape[:3], 2, -1).sum(-1)
            both = 1 / (1 + numpy.exp(-both))
            return [((both[..., :1] * (both[..., 1:] * rest[3] - 1) + 2) * rest[0]).astype(numpy.float32)]

        yield Case("GatedRelativePositionBias", [given, query_bias, *rest, places], 1, {"num_heads": heads}, expected=expected, constants=[3])


def cases(random):
    for each in (hyper_connections, engram_gate, relative_position_bias, gated_relative_position_bias):
        yield from each(random)
