# Random cases of com.microsoft's attention of decoders and of long documents; numpy is the reference, since onnxruntime has
# no CPU kernels.
import numpy
from case import Case
from packed_cases import attention, floats


def decoder_attention(random):
    batch, length, total, heads, size = (random.randint(1, 3), random.randint(1, 3), random.randint(1, 5), random.randint(1, 3),
                                         random.choice([4, 8]))
    width = heads * size
    is_cross, uses_past, has_state, has_mask = (random.random() < 0.5 for _ in range(4))
    past = random.randint(1, 4)
    query = floats(random, length, batch, width)
    key = floats(random, total, batch, width) if is_cross else query
    weights, both = floats(random, width, width, scale=0.4), floats(random, width, 2 * width, scale=0.4)
    bias = floats(random, 3 * width, scale=0.4)
    caches = [floats(random, batch, heads, past, size) for _ in range(2)]
    if not (uses_past and has_state) and random.random() < 0.5:
        caches = [None, None]
    has_cache = uses_past and has_state
    keys = (past if is_cross else past + length) if has_cache else (total if is_cross else length)
    mask = None
    if has_mask or random.random() < 0.5:
        mask = random.random((batch, keys)) < 0.3
        mask[:, -1] = False

    def expected():
        def split(x):
            return x.reshape(len(x), batch, heads, size).transpose(1, 2, 0, 3)
        q = split(query @ weights + bias[:width])
        fresh = (key if is_cross else query) @ both + bias[width:]
        k, v = split(fresh[..., :width]), split(fresh[..., width:])
        if has_cache:
            k, v = caches if is_cross else (numpy.concatenate([cache, each], 2) for cache, each in zip(caches, (k, v)))
        out = numpy.empty((batch, heads, length, size), numpy.float32)
        for i in range(batch):
            added = numpy.where(mask[i], -10000.0, 0.0) if has_mask else None
            out[i] = attention(q[i], k[i], v[i], size**-0.5, added)
        return [out.transpose(2, 0, 1, 3).reshape(length, batch, width), k, v]

    flags = [numpy.array(each) if random.random() < 0.5 else numpy.array([each]) for each in
             (is_cross, uses_past, has_state, has_mask)]
    return Case("DecoderAttention", [query, key, weights, both, bias, mask, *caches, *flags], [True, random.random() < 0.7, True],
                {"num_heads": heads, "mask_filter_value": random.choice([None, -10000.0])}, expected=expected, sized=[2])


def grouped(keys, back=False):
    """[batch, heads, length, size] with the elements of keys in groups of 16 bytes, or without."""
    batch, heads, length, size = keys.shape
    group = 16 // keys.itemsize
    if back:
        return keys.reshape(batch, heads, size // group, length, group).transpose(0, 1, 3, 2, 4).reshape(keys.shape)
    return keys.reshape(batch, heads, length, size // group, group).transpose(0, 1, 3, 2, 4).reshape(keys.shape)


def decoder_masked_self_attention(random):
    beams = random.choice([1, 1, 2, 3])
    batch, heads, size = beams * random.randint(1, 2), random.randint(1, 3), random.choice([8, 16])
    width, inner = heads * size, random.randint(1, 9)
    shares = random.random() < 0.7
    past = random.randint(0, 5)
    rows = past + 1 + random.randint(0, 3) if shares else past
    x, weights = floats(random, batch, 1, inner), floats(random, inner, 3 * width, scale=0.4)
    biases = floats(random, 3 * width, scale=0.4)
    cache = floats(random, 2, batch, heads, rows, size)
    mask = (random.random((batch, past + 1)) < 0.7).astype(numpy.int32) if random.random() < 0.5 else None
    if mask is not None:
        mask[:, -1] = 1
    bias = floats(random, random.choice([1, batch]), random.choice([1, heads]), 1, past + 1) if random.random() < 0.4 else None
    scale = random.choice([None, 0.3])
    indirection = None
    if shares and (beams > 1 or random.random() < 0.3):
        indirection = random.integers(0, beams, (batch // beams, beams, rows)).astype(numpy.int32)

    def expected():
        qkv = x @ weights + biases
        q, k, v = (each.reshape(batch, heads, 1, size) for each in numpy.split(qkv, 3, 2))
        present = cache.copy() if shares else numpy.concatenate([cache, numpy.stack([k, v])], 3)
        if shares:
            present[0, :, :, past], present[1, :, :, past] = k[:, :, 0], v[:, :, 0]
        out = numpy.empty((batch, 1, width), numpy.float32)
        for i in range(batch):
            keys, values = present[:, i, :, :past + 1].copy()
            for token in range(past if indirection is not None else 0):
                source = i // beams * beams + indirection[i // beams, i % beams, token]
                keys[:, token], values[:, token] = present[:, source, :, token]
            added = numpy.zeros((1, 1, past + 1)) if mask is None else numpy.where(mask[i], 0, -10000.0)
            if bias is not None:
                added = added + bias[min(i, len(bias) - 1)]
            out[i] = attention(q[i], keys, values, scale or size**-0.5, added).reshape(1, width)
        if shares:
            present[0] = grouped(present[0])
        return [out, present]

    given = cache.copy()
    if shares:
        given[0] = grouped(given[0])
    return Case("DecoderMaskedSelfAttention",
                [x, weights, biases, mask, given, bias, numpy.array([past], numpy.int32) if shares or random.random() < 0.5 else None,
                 numpy.array([beams], numpy.int32) if indirection is not None else None, indirection], 2,
                {"num_heads": heads, "scale": scale, "past_present_share_buffer": int(shares)}, expected=expected, sized=[1])


def longformer_attention(random):
    window, heads, size = random.choice([1, 2, 3, 4]), random.randint(1, 3), random.choice([4, 8])
    batch, length, width = random.randint(1, 3), 2 * window * random.randint(1, 4), heads * size
    x = floats(random, batch, length, width)
    weights, globals_ = (floats(random, width, 3 * width, scale=0.4) for _ in range(2))
    bias, global_bias = (floats(random, 3 * width, scale=0.4) for _ in range(2))
    mask = numpy.zeros((batch, length), numpy.float32)
    flags = (random.random((batch, length)) < random.choice([0.0, 0.2, 0.5])).astype(numpy.int32)
    for row in mask:
        row[random.randint(1, length):] = random.choice([-10000.0, -1e30])

    def expected():
        def split(y):
            return (each.reshape(length, heads, size).transpose(1, 0, 2) for each in numpy.split(y, 3, 1))
        out = numpy.zeros_like(x)
        places = numpy.arange(length)
        for i in range(batch):
            is_near = numpy.abs(places - places[:, None]) <= window
            added = numpy.where(is_near | (flags[i] != 0), mask[i], -numpy.inf)
            y = attention(*split(x[i] @ weights + bias), size**-0.5, added)
            wide = attention(*split(x[i] @ globals_ + global_bias), size**-0.5, mask[i])
            y = numpy.where(flags[i][:, None] != 0, wide, y)
            out[i] = numpy.where(mask[i][:, None] < 0, 0, y.transpose(1, 0, 2).reshape(length, width))
        return [out]

    return Case("LongformerAttention", [x, weights, bias, mask, globals_, global_bias, flags], 1,
                {"num_heads": heads, "window": window}, expected=expected, sized=[1])


def cases(random):
    for make in (decoder_attention, decoder_masked_self_attention, longformer_attention):
        for _ in range(50):
            yield make(random)
