# Random cases of com.microsoft's attention operators.
"""The reference is onnxruntime, or numpy where its CPU provider lacks the operator or a form of it."""
import numpy

from case import Case


def floats(random, *shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(numpy.float32)


def softmax(scores):
    scores = scores.astype(numpy.float64)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def heads_first(x, heads):
    """batch x length x width to batch x heads x length x size"""
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


def attend(query, key, value, addend=0.0):
    """Heads first; the result is batch x length x width."""
    scores = query.astype(numpy.float64) @ key.transpose(0, 1, 3, 2).astype(numpy.float64)
    out = softmax(scores / numpy.sqrt(query.shape[-1]) + addend) @ value
    return out.transpose(0, 2, 1, 3).reshape(query.shape[0], query.shape[2], -1).astype(numpy.float32)


def rotary_embedding(random):
    for index in range(40):
        batch, heads, length = random.randint(1, 3), random.randint(1, 4), random.randint(1, 9)
        size = random.choice([4, 8, 16, 32, 64])
        rotated = random.choice([0, 0, size // 2]) if size > 4 else 0
        rows = length + random.randint(0, 20)
        is_packed = random.random() < 0.5
        shape = (batch, length, heads * size) if is_packed else (batch, heads, length, size)
        kind = numpy.float16 if index % 5 == 4 else numpy.float32
        angles = [floats(random, rows, (rotated or size) // 2).astype(kind) for _ in range(2)]
        if random.random() < 0.4:
            positions = numpy.array([random.randint(0, rows - length)], numpy.int64)
        else:
            positions = random.integers(0, rows, (batch, length)).astype(numpy.int64)
        attributes = {"interleaved": random.randint(0, 1)}
        if rotated or random.random() < 0.5:
            attributes["num_heads"] = heads
        if rotated:
            attributes["rotary_embedding_dim"] = rotated
        if random.random() < 0.3:
            attributes["scale"] = 0.5
        if random.random() < 0.3:
            attributes["is_packed_batching"] = 1
        yield Case("RotaryEmbedding", [floats(random, *shape).astype(kind), positions, *angles], 1, attributes)


def multimodal_rotary_embedding(random):
    for index in range(32):
        batch, heads, length = random.randint(1, 3), random.randint(1, 4), random.randint(1, 7)
        size = random.choice([8, 12, 16, 64])
        pairs = size // 2
        first = random.randint(0, pairs)
        second = random.randint(0, pairs - first)
        is_packed = random.random() < 0.5
        shape = (batch, length, heads * size) if is_packed else (batch, heads, length, size)
        rows = length + random.randint(0, 20)
        kind = numpy.float16 if index % 5 == 4 else numpy.float32
        angles = [floats(random, rows, pairs).astype(kind) for _ in range(2)]
        layout = random.randint(0, 1)
        sections = [first, second, pairs - first - second]
        yield Case("MRotaryEmbedding", [floats(random, *shape).astype(kind),
                                        random.integers(0, rows, (3, batch, length)).astype(numpy.int64), *angles], 1,
                   {"mrope_section": sections, "mrope_layout": layout, "interleaved": random.randint(0, 1),
                    "num_heads": heads if is_packed else None})


def key_mask(random, batch, queries, keys, forms):
    form = random.choice(forms)
    if form == "none":
        return None
    if form == "ends":
        return random.integers(0, keys + 1, batch).astype(numpy.int32)
    if form == "starts":
        ends = random.integers(1, keys + 1, batch)
        return numpy.concatenate([ends, [random.randint(0, end - 1) for end in ends]]).astype(numpy.int32)
    if form == "packed":
        lengths = random.integers(1, keys + 1, batch)
        sums = numpy.concatenate([[0], numpy.cumsum(lengths)])
        return numpy.concatenate([lengths, sums, sums]).astype(numpy.int32)
    shape = (batch, keys) if form == "keys" else (batch, queries, keys)
    return (random.random(shape) < 0.7).astype(numpy.int32)


def addend(random, batch, heads, queries, keys):
    return floats(random, random.choice([1, batch]), random.choice([1, heads]), queries, keys)


def multi_head_attention(random):
    for _ in range(90):
        batch, heads, length = random.randint(1, 3), random.randint(1, 4), random.choice([1, 1, 2, 3, 5, 8])
        size, value_size = random.choice([1, 4, 8, 16, 20]), random.choice([4, 8, 16])
        form = random.choice(["self", "cross", "split", "past", "shared"])
        if form in ("past", "shared", "self", "split"):
            value_size = size
        keys = length if form in ("self", "past", "shared") else random.choice([1, 4, 7])
        past = random.randint(1, 6) if form in ("past", "shared") else 0
        total = keys + past
        query = floats(random, batch, length, heads * size)
        if form == "split":
            key, value = floats(random, batch, heads, keys, size), floats(random, batch, heads, keys, value_size)
        else:
            key, value = floats(random, batch, keys, heads * size), floats(random, batch, keys, heads * value_size)
        bias = floats(random, heads * (2 * size + value_size)) if random.random() < 0.4 else None
        mask = key_mask(random, batch, length, total, ["none", "none", "ends", "packed", "keys", "each"])
        extra = addend(random, batch, heads, length, total) if random.random() < 0.4 else None
        inputs = [query, key, value, bias, mask, extra]
        if form == "past":
            inputs += [floats(random, batch, heads, past, size) for _ in range(2)]
        if form == "shared":
            room = total + random.randint(0, 3)
            inputs += [floats(random, batch, heads, room, size) for _ in range(2)]
            inputs += [numpy.array([past], numpy.int32)]
        has_present = form in ("past", "shared") or random.random() < 0.3
        yield Case("MultiHeadAttention", inputs, [True, has_present, has_present],
                   {"num_heads": heads, "scale": random.choice([None, 0.3]),
                    "mask_filter_value": random.choice([None, None, -1e9, float(numpy.finfo(numpy.float32).min)]),
                    "unidirectional": random.choice([None, 0, 1])})


def packed_multi_head_attention(random):
    """Forms that onnxruntime takes on GPUs only."""
    for _ in range(20):
        batch, heads, length = random.randint(1, 3), random.randint(1, 4), random.randint(1, 6)
        size = random.choice([4, 8, 16])
        if random.random() < 0.5:
            packed = floats(random, batch, length, heads, 3, size)
            inputs, query = [packed], packed[:, :, :, 0].transpose(0, 2, 1, 3)
            key, value = (packed[:, :, :, part].transpose(0, 2, 1, 3) for part in (1, 2))
        else:
            keys = random.randint(1, 6)
            query = floats(random, batch, length, heads * size)
            packed = floats(random, batch, keys, heads, 2, size)
            inputs, query = [query, packed], heads_first(query, heads)
            key, value = (packed[:, :, :, part].transpose(0, 2, 1, 3) for part in (0, 1))
        mask = key_mask(random, batch, length, key.shape[2], ["none", "keys"])
        if mask is not None:  # Sums of -10000 and scores depend on their order.
            mask[:, 0] = 1
        added = 0.0 if mask is None else ((1 - mask) * -10000.0)[:, None, None]
        inputs += [None] * (4 - len(inputs)) + [mask]
        yield Case("MultiHeadAttention", inputs, 1, {"num_heads": heads},
                   expected=lambda q=query, k=key, v=value, a=added: [attend(q, k, v, a)])


def decoder_masked_attention(random):
    for index in range(40):
        beams = random.choice([1, 2, 3])
        batch, heads, size = beams * random.randint(1, 2), random.randint(1, 4), random.choice([4, 8, 16, 64])
        width = heads * size
        query = floats(random, batch, 1, width)
        bias = floats(random, 3 * width) if random.random() < 0.3 else None
        if index % 4 == 0:
            keys = random.randint(1, 9)
            cross = [floats(random, batch, heads, keys, size) for _ in range(2)]
            mask = key_mask(random, batch, 1, keys, ["none", "keys"])
            yield Case("DecoderMaskedMultiHeadAttention", [query, *cross, mask] + [None] * 6 + [bias], 1,
                       {"num_heads": heads})
            continue
        past = random.randint(1, 8)
        room = past + random.randint(1, 4)
        mask = key_mask(random, batch, 1, past + 1, ["none", "keys"])
        if mask is not None:  # The token itself is visible; sums of -10000 and scores depend on their order.
            mask[:, -1] = 1
        # onnxruntime takes the bias of another batch where there are beams.
        extra = addend(random, batch if beams == 1 else 1, heads, 1, past + 1) if random.random() < 0.3 else None
        caches = [floats(random, batch, heads, room, size) for _ in range(2)]
        beam_of = random.integers(0, beams, (batch // beams, beams, room)).astype(numpy.int32) if beams > 1 else None
        inputs = [query, floats(random, batch, 1, width), floats(random, batch, 1, width), mask, extra, *caches,
                  numpy.array([past], numpy.int32), numpy.array([beams], numpy.int32), beam_of, bias]
        yield Case("DecoderMaskedMultiHeadAttention", inputs, 3,
                   {"num_heads": heads, "past_present_share_buffer": 1, "scale": random.choice([None, 0.2])})


def group_sizes(random):
    shared = random.choice([1, 2, 3])
    return shared * random.choice([1, 2, 4]), shared, random.choice([8, 16, 32])


def group_query_attention(random):
    for index in range(150):
        heads, shared, size = group_sizes(random)
        rotates = random.random() < 0.5
        if rotates:
            size = random.choice([16, 32])
        form = random.choice(["prompt", "prompt", "step", "chunk"])
        batch = 1 if form == "chunk" else random.randint(1, 3)
        length = {"prompt": random.choice([1, 3, 6, 17]), "step": 1, "chunk": random.randint(2, 5)}[form]
        past = 0 if form == "prompt" else random.randint(1, 9)
        total = past + length
        lengths = numpy.array([random.randint(length, total) if form == "step" else
                               random.randint(1, total) if form == "prompt" and random.random() < 0.4 else total
                               for _ in range(batch)]) - 1
        lengths[random.randint(0, batch - 1)] = total - 1
        has_scores = random.random() < 0.3
        if has_scores:  # Those of padding are not defined.
            lengths[:] = total - 1
        kind = numpy.float16 if index % 6 == 5 else numpy.float32
        scale = 0.5 if kind == numpy.float16 else 1.0
        width, shared_width = heads * size, shared * size
        if random.random() < 0.5:
            queries = [floats(random, batch, length, width + 2 * shared_width, scale=scale), None, None]
        else:
            queries = [floats(random, batch, length, width, scale=scale),
                       *(floats(random, batch, length, shared_width, scale=scale) for _ in range(2))]
        # onnxruntime rounds rotated keys to float16 before it quantizes them.
        bits = random.choice([0, 0, 0, 4, 8]) if kind == numpy.float32 or not rotates else 0
        has_past = form != "prompt" or random.random() < 0.3 or bits != 0
        room = past + random.choice([0, length, length + 3]) if has_past else 0
        if form == "step" and len(set(lengths)) > 1:
            room = max(room, total)
        attributes = {"num_heads": heads, "kv_num_heads": shared}
        caches, scales = [None, None], [None, None]
        if bits:
            quantization = random.choice(["PER_TENSOR", "PER_CHANNEL"])
            attributes |= {"k_quant_type": quantization, "v_quant_type": quantization, "kv_cache_bit_width": bits}
            stored = (batch, shared, room, size * bits // 8)
            caches = [random.integers(0, 256, stored).astype(numpy.uint8).view(numpy.int8 if bits == 8 else numpy.uint8)
                      for _ in range(2)]
            shape = (1,) if quantization == "PER_TENSOR" else (1, shared, 1, size)
            scales = [(random.uniform(0.5, 1.5, shape) * (0.02 if bits == 8 else 0.3)).astype(numpy.float32)
                      for _ in range(2)]
            if kind == numpy.float16:
                queries = off_ties(queries, scales, shared, size)
        elif has_past:
            caches = [floats(random, batch, shared, room, size, scale=scale).astype(kind) for _ in range(2)]
        inputs = [*(None if each is None else each.astype(kind) for each in queries), *caches,
                  lengths.astype(numpy.int32), numpy.array(total, numpy.int32)]
        if rotates:
            rotated = random.choice([size, size // 2]) if size == 32 else size
            rows = total + random.randint(0, 8)
            inputs += [floats(random, rows, rotated // 2).astype(kind) for _ in range(2)]
            attributes |= {"do_rotary": 1, "rotary_interleaved": random.randint(0, 1)}
            if random.random() < 0.3:
                first = random.randint(0, rows - length)
                inputs += [numpy.tile(numpy.arange(first, first + length, dtype=numpy.int64), (batch, 1))]
        inputs += [None] * (10 - len(inputs))
        inputs += [addend(random, batch, heads, length, total).astype(kind) if random.random() < 0.25 else None]
        inputs += [floats(random, heads).astype(kind) if random.random() < 0.2 else None, *scales]
        if random.random() < 0.15:
            attributes |= {"causal": 0}
        # What padding sees in a window is not defined.
        elif random.random() < 0.4 and not (form == "prompt" and lengths.min() < total - 1):
            attributes |= {"local_window_size": random.randint(1, 5)}
        if random.random() < 0.3:
            attributes |= {"softcap": random.choice([0.5, 20.0])}
        if random.random() < 0.2:
            attributes |= {"smooth_softmax": random.randint(0, 1)}
        if random.random() < 0.3:
            attributes |= {"scale": random.choice([0.0, 0.25])}
        if has_scores:
            attributes |= {"qk_output": random.randint(1, 2)}
        yield Case("GroupQueryAttention", inputs, [True, True, True, has_scores], attributes)


def resident_rows(tokens, capacity, window):
    """How many positions a cache of a window keeps."""
    step = capacity - window + 1
    return tokens if tokens <= capacity else tokens - step * -(-(tokens - capacity) // step)


def window_cache_sizes(random, is_full):
    """Batch, tokens of a step, all tokens, rows of the cache and the window."""
    window = random.randint(1, 5)
    capacity = window + random.choice([0, 0, 1, 2, 3])
    length = random.choice([1, 1, 2, 3, 7, 12])
    if is_full:
        step = capacity - window + 1
        total = capacity + step * random.randint(-(-max(0, length - capacity) // step), 12)
    else:
        total = length + random.choice([0, random.randint(0, 20)])
    length = min(length, total)
    batch = random.randint(1, 3) if length in (1, total) else 1
    return batch, length, total, capacity, window


def off_ties(queries, scales, shared, size):
    """Keys and values in float16 whose quotients by the scale do not lie between two codes: there the code depends on how
    the quotient is rounded."""
    moved = [None if each is None else each.astype(numpy.float16).astype(numpy.float32) for each in queries]
    width = shared * size
    for part, scale in enumerate(scales):
        rows = moved[1 + part] if moved[1] is not None else moved[0][..., (part - 2) * width:(part - 1) * width or None]
        heads = rows.reshape(*rows.shape[:2], shared, size)
        steps = numpy.broadcast_to(scale.reshape(1, -1, 1) if scale.size == 1 else scale.reshape(1, shared, size), heads.shape)
        quotients = heads / steps
        is_tie = abs(abs(quotients - numpy.floor(quotients)) - 0.5) < 0.05
        rows[...] = numpy.where(is_tie, heads + 0.25 * steps, heads).reshape(rows.shape)
    return [given if each is None else each.astype(given.dtype) for given, each in zip(queries, moved)]


def window_cache(random):
    """Caches that drop what leaves the window. Rows behind those that are kept are not defined: caches end up full."""
    for index in range(90):
        batch, length, total, capacity, window = window_cache_sizes(random, True)
        heads, shared, size = group_sizes(random)
        kind = numpy.float16 if index % 5 == 4 else numpy.float32
        rotates = random.random() < 0.5
        if rotates:
            size = random.choice([16, 32])
        # onnxruntime rounds rotated keys to float16 before it quantizes them.
        bits = random.choice([0, 0, 4, 8]) if kind == numpy.float32 or not rotates else 0
        attributes = {"num_heads": heads, "kv_num_heads": shared, "local_window_size": window, "sliding_window_cache": 1,
                      "softcap": random.choice([None, 20.0]), "scale": random.choice([None, 0.25])}
        if bits == 4:  # onnxruntime takes multiples of 32.
            size = 32
        query = floats(random, batch, length, (heads + 2 * shared) * size, scale=0.5).astype(kind)
        caches = [floats(random, batch, shared, capacity, size, scale=0.5).astype(kind) for _ in range(2)]
        scales = [None, None]
        if bits:
            attributes |= {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR", "kv_cache_bit_width": bits}
            stored = (batch, shared, capacity, size * bits // 8)
            caches = [random.integers(0, 256, stored).astype(numpy.uint8).view(numpy.int8 if bits == 8 else numpy.uint8)
                      for _ in range(2)]
            scales = [numpy.array([0.02 if bits == 8 else 0.3], numpy.float32) for _ in range(2)]
            if kind == numpy.float16:
                query = off_ties([query, None, None], scales, shared, size)[0]
        inputs = [query, None, None, *caches, numpy.full(batch, total - 1, numpy.int32), numpy.array(total, numpy.int32)]
        if rotates:
            inputs += [floats(random, total + 3, size // 2).astype(kind) for _ in range(2)]
            attributes |= {"do_rotary": 1, "rotary_interleaved": random.randint(0, 1)}
        inputs += [None] * (10 - len(inputs))
        inputs += [addend(random, batch, heads, length, total).astype(kind) if random.random() < 0.3 else None]
        inputs += [floats(random, heads).astype(kind) if random.random() < 0.3 else None, *scales]
        yield Case("GroupQueryAttention", inputs, 3, attributes)


def partial_window_cache(random):
    """Steps after which caches are full or not, against attention over all positions."""
    for _ in range(60):
        batch, length, total, capacity, window = window_cache_sizes(random, random.random() < 0.3)
        heads, shared, size = group_sizes(random)
        past = total - length
        history = [floats(random, batch, shared, total, size) for _ in range(2)]
        query = floats(random, batch, length, heads * size)
        resident = resident_rows(past, capacity, window)
        caches = [floats(random, batch, shared, capacity, size) for _ in range(2)]
        for cache, rows in zip(caches, history):
            cache[:, :, :resident] = rows[:, :, past - resident:past]
        new = [rows[:, :, past:].transpose(0, 2, 1, 3).reshape(batch, length, shared * size) for rows in history]

        def expected(query=query, history=history, sizes=(heads // shared, past, total, capacity, window)):
            groups, past, total, capacity, window = sizes
            wide = [numpy.repeat(rows, groups, axis=1) for rows in history]
            positions, keys = numpy.arange(past, total)[:, None], numpy.arange(total)[None]
            added = numpy.where((keys <= positions) & (keys > positions - window), 0.0, -numpy.inf)
            out = attend(heads_first(query, wide[0].shape[1]), *wide, added)
            kept = resident_rows(total, capacity, window)
            presents = []
            for rows in history:
                presents.append(numpy.zeros((*rows.shape[:2], capacity, rows.shape[3]), numpy.float32))
                presents[-1][:, :, :kept] = rows[:, :, total - kept:]
            return [out, *presents]

        yield Case("GroupQueryAttention", [query, *new, *caches, numpy.full(batch, total - 1, numpy.int32),
                                           numpy.array(total, numpy.int32)], 3,
                   {"num_heads": heads, "kv_num_heads": shared, "local_window_size": window, "sliding_window_cache": 1},
                   expected=expected)


def projected(random, attributes):
    """Sizes, mask, past and bias of an operator that projects its input."""
    batch, heads, length = random.randint(1, 3), random.randint(1, 3), random.choice([1, 2, 5])
    size = random.choice([4, 8, 16])
    past = random.choice([0, 0, 3])
    total = length + past
    mask = key_mask(random, batch, length, total, ["none", "none", "ends", "starts", "packed", "keys", "each"])
    attributes |= {"num_heads": heads, "unidirectional": random.choice([None, 0, 1]),
                   "mask_filter_value": random.choice([None, None, -1e9, float(numpy.finfo(numpy.float32).min)]),
                   "scale": random.choice([None, None, 0.3])}
    cache = floats(random, 2, batch, heads, past, size) if past else None
    return batch, heads, length, size, total, mask, cache


def attention(random):
    for _ in range(70):
        attributes = {}
        batch, heads, length, size, total, mask, cache = projected(random, attributes)
        value_size = size
        if cache is None and random.random() < 0.3:
            value_size = random.choice([4, 12])
            attributes["qkv_hidden_sizes"] = [heads * size, heads * size, heads * value_size]
        width, columns = random.choice([3, 16]), heads * (2 * size + value_size)
        bias = floats(random, columns)  # onnxruntime crashes without.
        extra = addend(random, batch, heads, length, total) if cache is None and random.random() < 0.3 else None
        has_present = cache is not None or (value_size == size and random.random() < 0.3)
        yield Case("Attention", [floats(random, batch, length, width), floats(random, width, columns, scale=0.5), bias,
                                 mask, cache, extra], [True, has_present], attributes)


def rotated_attention(random):
    """Forms that onnxruntime takes on GPUs only: rotary embedding, and masks of the longest sequence."""
    for index in range(12):
        batch, heads, length, size = random.randint(1, 2), random.randint(1, 2), random.randint(1, 5), 32
        x, weights = floats(random, batch, length, 8), floats(random, 8, 3 * heads * size, scale=0.5)
        query, key, value = (heads_first(each, heads) for each in numpy.split(x @ weights, 3, -1))
        if index % 2:
            most = length + random.randint(0, 2)
            mask = numpy.tril(numpy.ones((batch, 1, most, most), numpy.int32))
            added = (1 - mask[:, :, :length, :length]) * -10000.0
            yield Case("Attention", [x, weights, None, mask], 1, {"num_heads": heads},
                       expected=lambda q=query, k=key, v=value, a=added: [attend(q, k, v, a)])
            continue
        angles = numpy.arange(length)[:, None] / 10000.0 ** (numpy.arange(size // 2) * 2 / size)
        cosines, sines = numpy.cos(angles), numpy.sin(angles)
        rotated_part = []
        for each in (query, key):
            first, second = each[..., :size // 2], each[..., size // 2:]
            rotated_part.append(numpy.concatenate([first * cosines - second * sines, second * cosines + first * sines], -1))
        yield Case("Attention", [x, weights], 1, {"num_heads": heads, "do_rotary": 1},
                   expected=lambda q=rotated_part[0], k=rotated_part[1], v=value: [attend(q, k, v)])


def q_attention(random):
    for _ in range(40):
        attributes = {}
        batch, heads, length, size, _, mask, cache = projected(random, attributes)
        width, columns = random.choice([3, 16]), 3 * heads * size
        kind = random.choice([numpy.uint8, numpy.int8])
        weights = random.integers(-128, 128, (width, columns)).astype(numpy.int8)
        zeros = [None, None]
        if kind == numpy.uint8:
            weights = weights.view(numpy.uint8)
        if random.random() < 0.6:
            zeros = [numpy.array(random.randint(100, 150), numpy.uint8), numpy.array(random.randint(0, 20), kind)]
        count = random.choice([0, 0, columns])
        scale = numpy.float32(0.005) if count == 0 else random.uniform(0.004, 0.006, count).astype(numpy.float32)
        if count and zeros[1] is not None:
            zeros[1] = numpy.full(count, zeros[1], kind)
        inputs = [random.integers(0, 256, (batch, length, width)).astype(numpy.uint8), weights,
                  floats(random, columns), numpy.float32(0.01), numpy.asarray(scale), mask, *zeros, cache]
        yield Case("QAttention", inputs, [True, cache is not None], attributes)


def rotated(x, cosines, sines, is_interleaved):
    """Heads first; rows of cosines and sines for each token."""
    half = cosines.shape[-1]
    first, second = (x[..., 0::2], x[..., 1::2]) if is_interleaved else (x[..., :half], x[..., half:])
    a, b = first * cosines - second * sines, second * cosines + first * sines
    return numpy.stack([a, b], -1).reshape(x.shape) if is_interleaved else numpy.concatenate([a, b], -1)


def sparse_attention(random):
    """onnxruntime wants past and present in one buffer, which the comparison does not give it."""
    size = block = 16
    for _ in range(40):
        heads, shared, _ = group_sizes(random)
        length = random.choice([1, 3, 20, 40])
        past = random.choice([0, 5, 30]) if length < 20 else 0
        batch, total = random.randint(1, 2), past + length
        room = (total + block - 1) // block * block + random.choice([0, block])
        layouts = random.choice([each for each in (1, 2, heads) if heads % each == 0])
        blocks = room // block
        masks = numpy.tril(random.random((layouts, blocks, blocks)) < 0.6) | numpy.eye(blocks, dtype=bool)
        rows = numpy.concatenate([numpy.zeros((layouts, 1)), masks.sum(-1).cumsum(-1)], -1).astype(numpy.int32)
        columns = numpy.full((layouts, rows[:, -1].max()), -1, numpy.int32)
        for layout in range(layouts):
            columns[layout, :rows[layout, -1]] = numpy.nonzero(masks[layout])[1]
        queries = [floats(random, batch, length, count * size) for count in (heads, shared, shared)]
        caches = [floats(random, batch, shared, room, size) for _ in range(2)]
        inputs = queries if random.random() < 0.5 else [numpy.concatenate(queries, -1), None, None]
        inputs = [*inputs, *caches, rows, columns, numpy.array([total], numpy.int32), numpy.full(batch, total, numpy.int32)]
        attributes = {"num_heads": heads, "kv_num_heads": shared, "sparse_block_size": block}
        query, key, value = (heads_first(each, each.shape[-1] // size) for each in queries)
        if random.random() < 0.4:
            angles = [floats(random, total + 3, size // 2) for _ in range(2)]
            inputs += angles
            attributes |= {"do_rotary": 1, "rotary_interleaved": random.randint(0, 1)}
            query, key = (rotated(each, *(angle[past:total] for angle in angles), attributes["rotary_interleaved"])
                          for each in (query, key))
        presents = [numpy.concatenate([cache[:, :, :past], new, 0 * cache[:, :, total:]], 2)
                    for cache, new in zip(caches, (key, value))]
        places, keys = numpy.arange(past, total), numpy.arange(total)
        visible = masks[:, places // block][:, :, keys // block] & (keys <= places[:, None])
        added = numpy.where(numpy.tile(visible, (heads // layouts, 1, 1)), 0.0, -numpy.inf)[None]

        def expected(query=query, presents=presents, added=added, total=total):
            spread = [numpy.repeat(each[:, :, :total], query.shape[1] // each.shape[1], 1) for each in presents]
            return [attend(query, *spread, added), *(each.astype(numpy.float32) for each in presents)]

        yield Case("SparseAttention", inputs, 3, attributes, constants=[5, 6], expected=expected)


def cases(random):
    for each in (rotary_embedding, multimodal_rotary_embedding, multi_head_attention, packed_multi_head_attention,
                 decoder_masked_attention, group_query_attention, window_cache, partial_window_cache, attention,
                 rotated_attention, q_attention, sparse_attention):
        yield from each(random)
