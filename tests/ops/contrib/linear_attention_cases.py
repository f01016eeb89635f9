# Random cases of com.microsoft's operators around attention: embeddings, states and gates of hybrid models.
import functools

import numpy
from case import Case


def floats(random, *shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(numpy.float32)


def embed_layer_normalization(random):
    for _ in range(40):
        batch, length, width = random.randint(1, 3), random.randint(1, 6), random.choice([4, 7, 16, 64])
        words, rows, segments = random.randint(2, 30), length + random.randint(0, 5), random.randint(1, 3)
        has_segments, has_mask, has_positions = (random.random() < 0.5 for _ in range(3))
        inputs = [random.integers(0, words, (batch, length)).astype(numpy.int32),
                  random.integers(0, segments, (batch, length)).astype(numpy.int32) if has_segments else None,
                  floats(random, words, width), floats(random, rows, width),
                  floats(random, segments, width) if has_segments else None, floats(random, width), floats(random, width),
                  (random.random((batch, length)) < 0.6).astype(numpy.int32) if has_mask else None]
        if has_positions:
            inputs += [random.integers(0, rows, (random.choice([1, batch]), length)).astype(numpy.int32)]
        has_sum = random.random() < 0.5
        yield Case("EmbedLayerNormalization", inputs, [True, True, has_sum],
                   {"epsilon": random.choice([None, 1e-5]), "mask_index_type": random.choice([None, 1])})


def q_embed_layer_normalization(random):
    for _ in range(32):
        batch, length, width = random.randint(1, 3), random.randint(1, 6), random.choice([4, 7, 16])
        words, rows, segments = random.randint(2, 30), length + random.randint(0, 5), random.randint(1, 3)
        has_segments = random.random() < 0.5
        kind = random.choice([numpy.int8, numpy.uint8])

        def table(*shape):
            return random.integers(0, 256, shape).astype(numpy.uint8).view(kind)

        tables = [table(words, width), table(rows, width), table(segments, width) if has_segments else None, table(width),
                  table(width)]
        scales = [numpy.float32(random.uniform(0.01, 0.05)) if each is not None else None for each in tables]
        zeros = [table(1)[0] if each is not None else None for each in tables]
        yield Case("QEmbedLayerNormalization",
                   [random.integers(0, words, (batch, length)).astype(numpy.int32),
                    random.integers(0, segments, (batch, length)).astype(numpy.int32) if has_segments else None, *tables,
                    (random.random((batch, length)) < 0.6).astype(numpy.int32) if random.random() < 0.5 else None, *scales,
                    *zeros], 2, {"epsilon": random.choice([None, 1e-5])})


def windowed_states(states, window):
    """The last states, after zeros for those before the first token."""
    missing = [numpy.zeros_like(states[0])] * (window - len(states))
    return numpy.stack(missing + states[max(0, len(states) - window):])


def recurrence(inputs, heads, shared, rule, scale, window):
    """LinearAttention token by token, with the states after the last ones."""
    query, key, value, past, decay, beta = (None if each is None else each.astype(numpy.float64) for each in inputs)
    batch, length = query.shape[:2]
    size = query.shape[2] // heads
    query, value = query.reshape(batch, length, heads, size), value.reshape(batch, length, shared, -1)
    key = key.reshape(batch, length, -1, size)
    key = numpy.repeat(key, shared // key.shape[2], 2)
    state = numpy.zeros((batch, shared, size, value.shape[3])) if past is None else past[-1]
    outputs, states = [], []
    for token in range(length):
        if "gated" in rule:
            state = state * numpy.exp(decay[:, token].reshape(batch, shared, -1, 1))
        change = value[:, token]
        if "delta" in rule:
            change = beta[:, token, :, None] * (change - numpy.einsum("bhkv,bhk->bhv", state, key[:, token]))
        state = state + key[:, token, :, :, None] * change[:, :, None]
        wide = numpy.repeat(state, max(1, heads // shared), 1)
        read = numpy.repeat(query[:, token], max(1, shared // heads), 1)
        outputs.append(numpy.einsum("bhkv,bhk->bhv", wide, read) * (scale or size**-0.5))
        states.append(state)
    return [numpy.stack(outputs, 1).reshape(batch, length, -1).astype(numpy.float32),
            windowed_states(states, window).astype(numpy.float32)]


def linear_attention(random):
    for _ in range(90):
        batch, length = random.randint(1, 2), random.choice([1, 2, 7])
        shared = random.choice([1, 2, 4])
        heads = random.choice([shared, shared * 2, max(1, shared // 2)])
        key_heads = random.choice([shared, max(1, shared // 2), 1])
        size, value_size = random.choice([4, 8, 16]), random.choice([4, 8, 16])
        rule = random.choice(["linear", "gated", "delta", "gated_delta"])
        key = floats(random, batch, length, key_heads, size)
        key /= numpy.linalg.norm(key, axis=-1, keepdims=True)
        decay = None
        if "gated" in rule:
            decay = -numpy.abs(floats(random, batch, length, shared * random.choice([1, size])))
        beta = random.random((batch, length, random.choice([1, shared]))).astype(numpy.float32) if "delta" in rule else None
        window = random.choice([0, 0, 1, 3])
        slots = (window,) if window else ()
        past = floats(random, *slots, batch, shared, size, value_size) if random.random() < 0.5 else None
        inputs = [floats(random, batch, length, heads * size), key.reshape(batch, length, -1),
                  floats(random, batch, length, shared * value_size), past, decay, beta]
        scale = random.choice([None, 0.0, 0.25])
        # onnxruntime's CPU provider has no window.
        expected = functools.partial(recurrence, inputs, heads, shared, rule, scale, window) if window else None
        yield Case("LinearAttention", inputs, 2,
                   {"q_num_heads": heads, "kv_num_heads": shared, "update_rule": rule, "scale": scale,
                    "chunk_size": random.choice([None, 16]), "state_window": window or None}, expected=expected)


def convolved(inputs, activation, dilation, is_last, window):
    """CausalConvWithState with the states after the last positions."""
    x, weight, bias, past = inputs
    shape = x.shape
    taps, channels = weight.shape[2], weight.shape[0]
    size = (taps - 1) * dilation

    def rows(y):
        return y.reshape(*y.shape[:2], channels).astype(numpy.float64) if is_last else y.transpose(0, 2, 1).astype(numpy.float64)

    def given(y):
        return (y.reshape(*y.shape[:2], *shape[2:]) if is_last else y.transpose(0, 2, 1)).astype(numpy.float32)

    front = numpy.zeros((shape[0], size, channels)) if past is None else rows(past[-1])
    whole = numpy.concatenate([front, rows(x)], 1)
    length = whole.shape[1] - size
    y = sum(whole[:, tap * dilation:tap * dilation + length] * weight[:, 0, tap] for tap in range(taps))
    y = y if bias is None else y + bias
    y = y / (1 + numpy.exp(-y)) if activation in ("silu", "swish") else y
    return [given(y), windowed_states([given(whole[:, i + 1:i + 1 + size]) for i in range(length)], window)]


def causal_conv(random):
    for _ in range(80):
        batch, channels, length = random.randint(1, 2), random.choice([1, 3, 8, 12]), random.choice([1, 2, 5, 9])
        window, dilation = random.randint(1, 4), random.choice([1, 1, 2, 3])
        is_last = random.random() < 0.4
        state = (window - 1) * dilation
        slots = random.choice([(), (), (1,), (4,)])
        axes = (channels,) if not is_last or channels < 8 or random.random() < 0.5 else (2, channels // 2)
        shape, past = ((batch, length, *axes), (batch, state, *axes)) if is_last else \
            ((batch, channels, length), (batch, channels, state))
        inputs = [floats(random, *shape), floats(random, channels, 1, window),
                  floats(random, channels) if random.random() < 0.5 else None,
                  floats(random, *slots, *past) if random.random() < 0.6 and state else None]
        activation = random.choice([None, "none", "silu", "swish"])
        expected = functools.partial(convolved, inputs, activation, dilation, is_last, slots[0]) if slots else None
        yield Case("CausalConvWithState", inputs, 2,
                   {"activation": activation, "dilation": dilation, "channels_last": int(is_last),
                    "state_window": slots[0] if slots else None}, expected=expected, constants=[1])


def gates(random):
    for index in range(32):
        kind = numpy.float16 if index % 4 == 3 else numpy.float32
        shape = (random.randint(1, 3), random.randint(1, 6), random.choice([1, 4, 16, 33]))
        has_beta = True  # onnxruntime refuses nodes without.
        yield Case("LinearAttentionGate", [floats(random, *shape).astype(kind), floats(random, shape[2]),
                                           -numpy.abs(floats(random, shape[2])),
                                           floats(random, *shape).astype(kind) if has_beta else None], [True, has_beta])
        group = random.choice([1, 4, 8, 20])
        shape = (*(random.randint(1, 4) for _ in range(random.randint(0, 3))), group * random.randint(1, 3))
        yield Case("GatedRMSNorm", [floats(random, *shape).astype(kind), floats(random, group).astype(kind),
                                    floats(random, *shape).astype(kind)], 1,
                   {"activation": random.choice([None, "silu", "swish", "sigmoid"]), "epsilon": random.choice([None, 1e-3])})
        yield Case("GatedAdd", [floats(random, *shape).astype(kind), floats(random, *shape).astype(kind),
                                floats(random, *shape[:-1], 1).astype(kind)], 1)


def gemma_rotary_embedding(random):
    for _ in range(30):
        batch, heads, length, size = random.randint(1, 2), random.randint(1, 3), random.randint(1, 4), random.choice([2, 8])
        angles = floats(random, batch, length, size)
        states = [floats(random, batch, heads, length, size).astype(numpy.float16) for _ in range(4)]

        def expected(angles=angles, states=states):
            cosines, sines = numpy.cos(angles)[:, None], numpy.sin(angles)[:, None]
            wide = [each.astype(numpy.float32) for each in states]
            return [(wide[i] * cosines + wide[i + 1] * sines).astype(numpy.float16) for i in (0, 2)]

        yield Case("GemmaRotaryEmbedding", [angles, *states], 2, expected=expected)


def cases(random):
    for each in (embed_layer_normalization, q_embed_layer_normalization, linear_attention, causal_conv, gates,
                 gemma_rotary_embedding):
        yield from each(random)
