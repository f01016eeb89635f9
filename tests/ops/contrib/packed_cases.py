# Random cases of com.microsoft's operators on packed sequences; numpy is the reference, since onnxruntime has no CPU kernels.
import numpy
from case import Case


def floats(random, *shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(numpy.float32)


def bounds_of(lengths):
    return numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int32)


def places_of(lengths, longest):
    """Flat places of tokens, then of padding."""
    is_token = numpy.arange(longest) < numpy.array(lengths)[:, None]
    flat = is_token.ravel()
    return numpy.concatenate([numpy.flatnonzero(flat), numpy.flatnonzero(~flat)]).astype(numpy.int32).reshape(is_token.shape)


def attention(query, key, value, scale, bias=None):
    """Of [heads, length, size]."""
    scores = numpy.einsum("hqd,hkd->hqk", query, key) * scale
    if bias is not None:
        scores = scores + bias
    scores = numpy.exp(scores - scores.max(-1, keepdims=True))
    return numpy.einsum("hqk,hkd->hqd", scores / scores.sum(-1, keepdims=True), value)


def remove_padding(random):
    batch, longest, width = random.randint(1, 4), random.randint(1, 6), random.randint(1, 5)
    kind = random.choice([numpy.float32, numpy.float16])
    x = floats(random, batch, longest, width).astype(kind)
    lengths = [random.randint(1, longest) for _ in range(batch)]

    def expected():
        tokens = numpy.concatenate([x[i, :count] for i, count in enumerate(lengths)])
        return [tokens, places_of(lengths, longest), bounds_of(lengths), numpy.array([max(lengths)], numpy.int32)]

    return Case("RemovePadding", [x, numpy.array(lengths, numpy.int32)], 4, expected=expected)


def restore_padding(random):
    batch, longest, width = random.randint(1, 4), random.randint(1, 6), random.randint(1, 5)
    kind = random.choice([numpy.float32, numpy.float16])
    lengths = [random.randint(1, longest) for _ in range(batch)]
    x = floats(random, sum(lengths), width).astype(kind)

    def expected():
        out = numpy.zeros((batch, longest, width), kind)
        begin = 0
        for i, count in enumerate(lengths):
            out[i, :count] = x[begin:begin + count]
            begin += count
        return [out]

    return Case("RestorePadding", [x, places_of(lengths, longest)], 1, expected=expected)


def packed_attention(random):
    batch, longest, heads = random.randint(1, 3), random.randint(1, 6), random.randint(1, 3)
    size, value_size, width = random.choice([4, 8]), random.choice([4, 8]), random.randint(1, 9)
    if random.random() < 0.5:
        value_size = size
    kind = random.choice([numpy.float32, numpy.float32, numpy.float16])
    lengths = [random.randint(1, longest) for _ in range(batch)]
    x = floats(random, sum(lengths), width).astype(kind)
    weights = floats(random, width, heads * (2 * size + value_size), scale=0.4).astype(kind)
    biases = floats(random, heads * (2 * size + value_size), scale=0.4).astype(kind)
    bias = None
    if random.random() < 0.5:
        bias = floats(random, random.choice([1, batch]), random.choice([1, heads]), longest, longest).astype(kind)
    scale = random.choice([None, 0.3])

    def expected():
        qkv = x.astype(numpy.float64) @ weights + biases
        outputs, begin = [], 0
        for i, count in enumerate(lengths):
            rows = qkv[begin:begin + count]
            begin += count
            parts = numpy.split(rows, [heads * size, 2 * heads * size], 1)
            query, key, value = (each.reshape(count, heads, -1).transpose(1, 0, 2) for each in parts)
            added = None if bias is None else bias[min(i, len(bias) - 1), :, :count, :count]
            y = attention(query, key, value, scale or size**-0.5, added)
            outputs.append(y.transpose(1, 0, 2).reshape(count, -1))
        return [numpy.concatenate(outputs).astype(kind)]

    sizes = [heads * size, heads * size, heads * value_size] if value_size != size or random.random() < 0.5 else None
    return Case("PackedAttention", [x, weights, biases, places_of(lengths, longest), bounds_of(lengths), bias], 1,
                {"num_heads": heads, "scale": scale, "qkv_hidden_sizes": sizes}, expected=expected)


def packed_multi_head_attention(random):
    batch, longest, heads = random.randint(1, 3), random.randint(1, 6), random.randint(1, 3)
    size, value_size = random.choice([4, 8]), random.choice([4, 8])
    is_packed = random.random() < 0.5
    if is_packed:
        value_size = size
    kind = random.choice([numpy.float32, numpy.float32, numpy.float16])
    lengths = [random.randint(1, longest) for _ in range(batch)]
    tokens = sum(lengths)
    given = [floats(random, tokens, heads, each).astype(kind) for each in (size, size, value_size)]
    biases = floats(random, heads * (2 * size + value_size)).astype(kind) if random.random() < 0.5 else None
    bias = None
    if random.random() < 0.5:
        bias = floats(random, random.choice([1, batch]), random.choice([1, heads]), longest, longest).astype(kind)
    scale = random.choice([None, 0.3])

    def expected():
        wide = [each.astype(numpy.float64) for each in given]
        if biases is not None:
            parts = numpy.split(biases.astype(numpy.float64), [heads * size, 2 * heads * size])
            wide = [each + part.reshape(heads, -1) for each, part in zip(wide, parts)]
        outputs, begin = [], 0
        for i, count in enumerate(lengths):
            query, key, value = (each[begin:begin + count].transpose(1, 0, 2) for each in wide)
            begin += count
            added = None if bias is None else bias[min(i, len(bias) - 1), :, :count, :count]
            outputs.append(attention(query, key, value, scale or size**-0.5, added).transpose(1, 0, 2).reshape(count, -1))
        return [numpy.concatenate(outputs).astype(kind)]

    operands = [numpy.stack(given, 2), None, None] if is_packed else [each.reshape(tokens, -1) for each in given]
    return Case("PackedMultiHeadAttention", [*operands, biases, places_of(lengths, longest), bounds_of(lengths), bias], 1,
                {"num_heads": heads, "scale": scale}, expected=expected)


def varlen_causal_conv(random):
    lengths = [random.randint(1, 6) for _ in range(random.randint(1, 4))]
    channels, window, dilation = random.randint(1, 5), random.randint(1, 4), random.choice([1, 1, 2, 3])
    state = (window - 1) * dilation
    kind = random.choice([numpy.float32, numpy.float32, numpy.float16])
    x = floats(random, sum(lengths), channels).astype(kind)
    weight = floats(random, channels, 1, window).astype(kind)
    bias = floats(random, channels).astype(kind) if random.random() < 0.5 else None
    initial = floats(random, len(lengths), channels, state).astype(kind)
    capacity = random.choice([0, 0, 1, 3])
    counts = numpy.array([random.randint(-1, 8) for _ in lengths], numpy.int32) if capacity else None
    activation = random.choice([None, "none", "silu", "swish"])

    def expected():
        y, finals = [], []
        updates = numpy.zeros((len(lengths), capacity, channels), kind)
        begin = 0
        for i, count in enumerate(lengths):
            rows = x[begin:begin + count]
            begin += count
            whole = numpy.concatenate([initial[i].T, rows]).astype(numpy.float64)
            out = sum(whole[tap * dilation:tap * dilation + count] * weight[:, 0, tap] for tap in range(window))
            out = out if bias is None else out + bias
            y.append(out / (1 + numpy.exp(-out)) if activation in ("silu", "swish") else out)
            finals.append(whole[len(whole) - state:].T)
            for step in range(min(capacity, count, max(0, counts[i])) if capacity else 0):
                updates[i, step] = rows[step]
        return [numpy.concatenate(y).astype(kind), numpy.stack(finals).astype(kind), updates]

    return Case("VarlenCausalConvWithState", [x, weight, bounds_of(lengths), bias, initial, counts], [True, True, capacity > 0],
                {"activation": activation, "dilation": random.choice([None, 1]) if dilation == 1 else dilation,
                 "state_update_capacity": capacity or None}, expected=expected, sized=[1])


class DeltaNet:
    """Operands of one case, and its recurrence."""

    def __init__(self, random):
        self.is_ragged = random.random() < 0.4
        self.is_square = not self.is_ragged and random.random() < 0.5
        self.batch, length = random.randint(1, 3), random.randint(1, 5)
        self.lengths = [random.randint(1, 5) if self.is_ragged else length for _ in range(self.batch)]
        self.key_heads, self.size, self.value_size = random.randint(1, 2), random.choice([4, 8]), random.choice([3, 4, 8])
        self.heads = self.key_heads * random.choice([1, 2, 3])
        self.rule = random.choice(["linear", "gated", "delta", "gated_delta"])
        self.capacity = random.choice([0, 0, 1, 3])
        tokens = sum(self.lengths)
        self.query, self.key = (floats(random, tokens, self.key_heads, self.size) for _ in range(2))
        self.normalizes = random.random() < 0.5
        if not self.normalizes:
            self.key /= numpy.linalg.norm(self.key, axis=-1, keepdims=True)
        self.value = floats(random, tokens, self.heads, self.value_size)
        self.has_gate, self.has_sigmoid = random.random() < 0.5, random.random() < 0.5
        self.decay = self.beta = self.a_log = self.dt_bias = None
        if "gated" in self.rule:
            rows = (self.size,) if not self.capacity and random.random() < 0.4 else (1,)
            self.decay = floats(random, tokens, self.heads, *rows)
            if not self.has_gate:
                self.decay = -numpy.abs(self.decay)
            if self.has_gate and random.random() < 0.8:
                self.a_log, self.dt_bias = floats(random, self.heads, scale=0.3), floats(random, self.heads, scale=0.3)
        if "delta" in self.rule and random.random() < 0.9:
            self.beta = random.random((tokens, self.heads)).astype(numpy.float32)
        self.is_packed = random.random() < 0.3
        self.state = None
        if not self.is_ragged or self.is_packed or random.random() < 0.6:
            self.state = floats(random, self.batch, self.heads, self.value_size, self.size, scale=0.3)
        self.counts = numpy.array([random.randint(0, 5) for _ in self.lengths], numpy.int32) if self.capacity else None
        self.active = random.choice([None, 0, 1]) if self.capacity else None
        self.scale = random.choice([None, 0.0, 0.5])

    def rates(self):
        decay, beta = 0.0, 1.0
        if self.decay is not None:
            decay = self.decay.astype(numpy.float64)
            if self.has_gate:
                bias, factor = (0, 1) if self.a_log is None else (self.dt_bias[:, None], numpy.exp(self.a_log)[:, None])
                decay = -factor * numpy.log1p(numpy.exp(decay + bias))
        if self.beta is not None:
            beta = 1 / (1 + numpy.exp(-self.beta)) if self.has_sigmoid else self.beta
        tokens = len(self.query)
        return (numpy.broadcast_to(decay, (tokens, self.heads, self.size)),
                numpy.broadcast_to(beta, (tokens, self.heads)).astype(numpy.float64))

    def expected(self):
        query, key = self.query.astype(numpy.float64), self.key.astype(numpy.float64)
        if self.normalizes:
            query, key = (each / numpy.linalg.norm(each, axis=-1, keepdims=True) for each in (query, key))
        group = self.heads // self.key_heads
        query, wide_key = (numpy.repeat(each, group, 1) for each in (query, key))
        decay, beta = self.rates()
        y, finals, updates, token = [], [], [], 0
        for i, count in enumerate(self.lengths):
            state = numpy.zeros((self.heads, self.size, self.value_size))
            if self.state is not None:
                state = self.state[i].transpose(0, 2, 1).astype(numpy.float64)
            kept = min(count, self.capacity, self.counts[i] if self.counts is not None else 0) if self.active != 0 else 0
            rows = [numpy.zeros((self.capacity, each)) for each in
                    (self.heads, self.key_heads * self.size, self.heads * self.value_size)]
            for step in range(count):
                state = state * numpy.exp(decay[token])[:, :, None]
                change = self.value[token].astype(numpy.float64)
                if "delta" in self.rule:
                    change = beta[token][:, None] * (change - numpy.einsum("hkv,hk->hv", state, wide_key[token]))
                state = state + wide_key[token][:, :, None] * change[:, None]
                y.append(numpy.einsum("hkv,hk->hv", state, query[token]) * (self.scale or self.size**-0.5))
                if step < kept:
                    for row, each in zip(rows, (numpy.exp(decay[token][:, 0]), key[token], change)):
                        row[step] = each.ravel()
                token += 1
            finals.append(state.transpose(0, 2, 1))
            updates.append(numpy.concatenate([row.ravel() for row in rows]))
        y = numpy.stack(y).astype(numpy.float32)
        if self.is_square:
            y = y.reshape(self.batch, -1, *y.shape[1:])
        return [y, numpy.stack(finals).astype(numpy.float32), numpy.stack(updates).astype(numpy.float32)]

    def case(self, random):
        tokens = len(self.query)
        front = (self.batch, -1) if self.is_square else (tokens,)
        if self.is_packed:
            operands = [numpy.concatenate([each.reshape(tokens, -1) for each in (self.query, self.key, self.value)], 1), None, None]
        else:
            operands = [self.query, self.key, self.value]
        operands = [None if each is None else each.reshape(*front, *each.shape[1:]) for each in operands]
        decay = None
        if self.decay is not None:
            decay = self.decay.reshape(*front, *((self.heads,) if self.decay.shape[2] == 1 else self.decay.shape[1:]))
        beta = None if self.beta is None else self.beta.reshape(*front, self.heads)
        active = None if self.active is None else numpy.array([self.active], numpy.int32)
        return Case("GatedDeltaNet",
                    [*operands, bounds_of(self.lengths) if self.is_ragged else None, decay, beta, self.state, self.a_log,
                     self.dt_bias, self.counts, active], [True, random.random() < 0.8, random.random() < 0.7],
                    {"update_rule": self.rule, "scale": self.scale, "qk_l2_norm": int(self.normalizes),
                     "gate_activation": "qwen" if self.has_gate else None, "beta_activation": "sigmoid" if self.has_sigmoid else None,
                     "state_update_capacity": self.capacity or None}, expected=self.expected, tolerance=(1e-4, 1e-4), sized=[0, 2, 6])


def cases(random):
    for make in (remove_padding, restore_padding, packed_attention, packed_multi_head_attention, varlen_causal_conv):
        for _ in range(40):
            yield make(random)
    for _ in range(60):
        yield DeltaNet(random).case(random)
