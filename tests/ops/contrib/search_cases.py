# Random cases of the generation operators of com.microsoft: beam search, greedy search and sampling over small bodies.
"""The bodies are a few products and gathers with the signatures of GPT-2, T5 and Whisper; what they compute depends on
tokens, positions, masks and caches, so that a cache in a wrong order changes the tokens."""
import numpy
import onnxruntime
import onnxruntime_worker
from case import Case, build_model
from onnx import TensorProto, helper, numpy_helper

_INT, _FLOAT = TensorProto.INT32, TensorProto.FLOAT


class Body:
    """A graph under construction."""

    def __init__(self, name):
        self.name, self.nodes, self.inputs, self.outputs, self.weights = name, [], [], [], []

    def input(self, name, element, shape):
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))
        return name

    def output(self, name, element, shape):
        self.outputs.append(helper.make_tensor_value_info(name, element, shape))

    def weight(self, array):
        name = f"{self.name}_w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def ints(self, *values):
        return self.weight(numpy.array(values, numpy.int64))

    def op(self, op, *inputs, to=None, **attributes):
        name = to or f"{self.name}_v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def graph(self):
        return helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)


class Sizes:
    def __init__(self, random):
        self.vocabulary = random.choice([5, 9, 17, 40])
        self.heads, self.head = random.choice([(1, 4), (2, 3), (3, 2)])
        self.width = self.heads * self.head
        self.layers = random.choice([1, 1, 2])
        self.weights = numpy.random.default_rng(random.getrandbits(32))

    def array(self, *shape, scale=1.0):
        return self.weights.normal(0, scale, shape).astype(numpy.float32)


def _embedding(body, ids, table):
    return body.op("Gather", body.weight(table), ids)


def _heads(body, sizes, value):
    """[B, S, D] as [B, N, S, H]."""
    split = body.op("Reshape", value, body.ints(0, 0, sizes.heads, sizes.head))
    return body.op("Transpose", split, perm=[0, 2, 1, 3])


def _summary(body, sizes, cache, mask=None):
    """The mean of the sums of [B, N, T, H] up to each of T, under a mask [B, T], as [B, 1, D]: the same tokens in another
    order give another one, and no tie."""
    if mask is not None:
        cache = body.op("Mul", cache, body.op("Unsqueeze", mask, body.ints(1, 3)))
    sums = body.op("CumSum", cache, body.weight(numpy.array(2, numpy.int64)))
    total = body.op("ReduceMean", sums, body.ints(2), keepdims=0)
    return body.op("Reshape", total, body.ints(0, 1, sizes.width))


def _as_float(body, value):
    name = f"{body.name}_v{len(body.nodes)}"
    body.nodes.append(helper.make_node("Cast", [value], [name], to=_FLOAT))
    return name


def _logits(body, hidden, weights):
    # Small enough that the scores depend on all tokens.
    small = body.op("Mul", hidden, body.weight(numpy.array(0.3, numpy.float32)))
    body.op("MatMul", body.op("Tanh", small), body.weight(weights), to="logits")


def gpt_body(sizes, name="decoder", tables=None):
    body = Body(name)
    tables = tables or {"tokens": sizes.array(sizes.vocabulary, sizes.width), "places": sizes.array(64, sizes.width, scale=0.3),
                        "logits": sizes.array(sizes.width, sizes.vocabulary, scale=1.5)}
    ids = body.input("input_ids", _INT, ["batch_size", "sequence_length"])
    places = body.input("position_ids", _INT, ["batch_size", "sequence_length"])
    mask = body.input("attention_mask", _INT, ["batch_size", "total_length"])
    hidden = body.op("Add", _embedding(body, ids, tables["tokens"]), _embedding(body, places, tables["places"]))
    factors = _as_float(body, mask)
    body.output("logits", _FLOAT, ["batch_size", "sequence_length", sizes.vocabulary])
    for layer in range(sizes.layers):
        past = body.input(f"past_{layer}", _FLOAT, [2, "batch_size", sizes.heads, "past_length", sizes.head])
        keys = _heads(body, sizes, hidden)
        values = body.op("Sin", keys)
        new = body.op("Concat", body.op("Unsqueeze", keys, body.ints(0)), body.op("Unsqueeze", values, body.ints(0)), axis=0)
        present = body.op("Concat", past, new, axis=3, to=f"present_{layer}")
        body.output(present, _FLOAT, [2, "batch_size", sizes.heads, "total_length", sizes.head])
        one = body.op("Gather", present, body.weight(numpy.array(1, numpy.int64)), axis=0)
        hidden = body.op("Add", hidden, _summary(body, sizes, one, factors))
    _logits(body, hidden, tables["logits"])
    return body.graph(), tables


def _decoder_step(body, sizes, ids, tables, pasts, crosses, mask):
    """The part that encoder bodies with a first step and decoder bodies share."""
    hidden = _embedding(body, ids, tables["tokens"])
    for layer in range(sizes.layers):
        keys = _heads(body, sizes, hidden)
        values = body.op("Sin", keys)
        for kind, new, place in (("key", keys, 2 * layer), ("value", values, 2 * layer + 1)):
            name = f"present_{kind}_self_{layer}"
            if pasts:
                body.op("Concat", pasts[place], new, axis=2, to=name)
            else:
                body.op("Identity", new, to=name)
        for cache, factors in ((f"present_value_self_{layer}", None), (crosses[2 * layer + 1], mask)):
            hidden = body.op("Add", hidden, _summary(body, sizes, cache, factors))
    last = body.op("Slice", hidden, body.ints(-1), body.ints(2**31 - 1), body.ints(1))
    _logits(body, last, tables["logits"])


def encoder_decoder_bodies(sizes, is_whisper, with_step, with_states, features=3):
    """Encoder and decoder. `with_step`: the encoder takes the first step of the decoder too."""
    tables = {"tokens": sizes.array(sizes.vocabulary, sizes.width), "source": sizes.array(sizes.vocabulary, sizes.width),
              "logits": sizes.array(sizes.width, sizes.vocabulary, scale=1.5)}
    cross_shape = ["batch_size", sizes.heads, "encode_length", sizes.head]
    self_shape = ["batch_size", sizes.heads, "past_length", sizes.head]
    encoder, mask = Body("encoder"), None
    if is_whisper:
        source = encoder.input("encoder_input_ids", _FLOAT, ["batch_size", features, "encode_length"])
        transposed = encoder.op("Transpose", source, perm=[0, 2, 1])
        states = encoder.op("MatMul", transposed, encoder.weight(sizes.array(features, sizes.width)), to="encoder_hidden_states")
    else:
        source = encoder.input("encoder_input_ids", _INT, ["batch_size", "encode_length"])
        given = encoder.input("encoder_attention_mask", _INT, ["batch_size", "encode_length"])
        mask = _as_float(encoder, given)
        states = _embedding(encoder, source, tables["source"])
        states = encoder.op("Mul", states, encoder.op("Unsqueeze", mask, encoder.ints(2)), to="encoder_hidden_states")
    ids = encoder.input("decoder_input_ids", _INT, ["batch_size", "prompt_length"]) if with_step else None
    crosses = []
    for layer in range(sizes.layers):
        for kind in ("key", "value"):
            name = f"present_{kind}_cross_{layer}"
            product = encoder.op("MatMul", states, encoder.weight(sizes.array(sizes.width, sizes.width)))
            transposed = encoder.op("Transpose", encoder.op("Reshape", product, encoder.ints(0, 0, sizes.heads, sizes.head)),
                                perm=[0, 2, 1, 3])
            crosses.append(encoder.op("Identity", transposed, to=name))
    if with_step:
        _decoder_step(encoder, sizes, ids, tables, None, crosses, mask)
        encoder.output("logits", _FLOAT, ["batch_size", 1, sizes.vocabulary])
        encoder.output("encoder_hidden_states", _FLOAT, ["batch_size", "encode_length", sizes.width])
        for layer in range(sizes.layers):
            for kind in ("key", "value"):
                encoder.output(f"present_{kind}_self_{layer}", _FLOAT, self_shape)
    for name in crosses:
        encoder.output(name, _FLOAT, cross_shape)
    decoder = Body("decoder")
    ids = decoder.input("input_ids", _INT, ["batch_size", 1])
    mask = None
    if not is_whisper:
        mask = _as_float(decoder, decoder.input("encoder_attention_mask", _INT, ["batch_size", "encode_length"]))
    if with_states:
        decoder.input("encoder_hidden_states", _FLOAT, ["batch_size", "encode_length", sizes.width])
    layers = range(sizes.layers)
    pasts = [decoder.input(f"past_{kind}_self_{layer}", _FLOAT, self_shape) for layer in layers for kind in ("key", "value")]
    crosses = [decoder.input(f"past_{kind}_cross_{layer}", _FLOAT, cross_shape) for layer in layers for kind in ("key", "value")]
    _decoder_step(decoder, sizes, ids, tables, pasts, crosses, mask)
    decoder.output("logits", _FLOAT, ["batch_size", 1, sizes.vocabulary])
    for layer in layers:
        for kind in ("key", "value"):
            decoder.output(f"present_{kind}_self_{layer}", _FLOAT, ["batch_size", sizes.heads, "present_length", sizes.head])
    return encoder.graph(), decoder.graph()


def _int(value):
    return numpy.array([value], numpy.int32)


def _maybe(random, make, chance=0.5):
    return make() if random.random() < chance else None


def _masks(random, sizes, batch):
    """vocab_mask and prefix_vocab_mask, which leave at least three tokens."""
    def mask(*shape):
        values = (random.random(shape) < 0.8).astype(numpy.int32)
        values[..., :3] = 1
        return values
    return (_maybe(random, lambda: mask(sizes.vocabulary), 0.3), _maybe(random, lambda: mask(batch, sizes.vocabulary), 0.3))


def _tokens(random, sizes, batch, length, pad):
    ids = random.integers(0, sizes.vocabulary, (batch, length)).astype(numpy.int32)
    for row in ids:  # padding on the left, as batches of prompts have it
        row[row == pad] = (pad + 1) % sizes.vocabulary
        row[:random.randrange(0, length)] = pad if random.random() < 0.5 else row[0]
    return ids


def _attributes(random, sizes):
    pad, eos = random.choice([(0, 1), (1, 1), (2, 0)])
    return {"eos_token_id": eos, "pad_token_id": pad, "no_repeat_ngram_size": random.choice([None, 0, 1, 2, 3]),
            # onnxruntime reads rows of logits that are longer than vocab_size from wrong places.
            "vocab_size": random.choice([None, -1, sizes.vocabulary])}


def beam_case(random, model_type, op="BeamSearch"):
    sizes = Sizes(random)
    has_timestamps = op == "WhisperBeamSearch" and random.random() < 0.4
    if has_timestamps:
        sizes.vocabulary = 130
    attributes = _attributes(random, sizes)
    batch, length = random.choice([1, 1, 2, 3]), random.randrange(1, 7)
    masks = _masks(random, sizes, batch)
    decoder_ids = None
    if model_type == 0:
        attributes["decoder"], tables = gpt_body(sizes)
        if random.random() < 0.4:
            attributes["init_decoder"], _ = gpt_body(sizes, "init_decoder", tables)
        ids = _tokens(random, sizes, batch, length, attributes["pad_token_id"])
        start = length
    else:
        with_step = model_type == 2 or random.random() < 0.6
        with_states = with_step and random.random() < 0.5
        attributes["encoder"], attributes["decoder"] = encoder_decoder_bodies(sizes, model_type == 2, with_step, with_states)
        attributes["decoder_start_token_id"] = random.randrange(sizes.vocabulary)
        start = 1
        if model_type == 2:
            ids = random.normal(0, 1, (batch, 3, length)).astype(numpy.float32)
            decoder_ids = _maybe(random, lambda: random.integers(0, sizes.vocabulary, (batch, random.randrange(1, 4))).astype(numpy.int32))
            start = 1 if decoder_ids is None else decoder_ids.shape[1]
        else:
            ids = _tokens(random, sizes, batch, length, attributes["pad_token_id"])
    attributes["model_type"] = None if model_type == 0 and random.random() < 0.5 else model_type
    # Without early stopping onnxruntime compares a row's hypotheses with the candidates of other rows.
    attributes["early_stopping"] = 1 if batch > 1 else random.choice([None, 0, 1])
    beams = random.choice([1, 2, 2, 3, 4])
    # Scores of steps that are not taken are not initialized; where all tokens are blocked, the end wins.
    wants_scores = sizes.vocabulary > 9 and random.random() < 0.5
    longest = start + random.randrange(2, 9)
    least = longest - 1 if wants_scores else random.choice([0, 0, start + 2])
    mask = None
    if model_type != 2 and random.random() < 0.3:
        mask = (random.random((batch, length)) < 0.8).astype(numpy.int32)
        mask[:, -1] = 1
    inputs = [ids, _int(longest), _int(least), _int(beams),
              _int(random.randrange(1, beams + 1)), numpy.array([random.choice([1.0, 0.5, 2.0, 0.0])], numpy.float32),
              _maybe(random, lambda: numpy.array([random.choice([1.0, 1.3, 0.8])], numpy.float32)), *masks, mask, decoder_ids]
    outputs = [True, True, wants_scores]
    if has_timestamps:
        eos = attributes["eos_token_id"] = random.randrange(3, 15)
        attributes |= {"translate_token_id": eos + 101, "transcribe_token_id": eos + 102, "start_of_lm_token_id": eos + 105,
                       "no_timestamps_token_id": eos + 106, "beginning_timestamp_token_id": eos + 107}
    if op == "WhisperBeamSearch":
        inputs += [None] * (11 - len(inputs)) + [_int(1) if has_timestamps else None]
        inputs = inputs[:12]
        inputs += [None, None, _maybe(random, lambda: numpy.array([random.choice([1.0, 0.7])], numpy.float32))]
    while outputs and not outputs[-1]:
        outputs.pop()
    return Case(op, inputs, outputs, attributes, tolerance=(1e-4, 1e-4), constants=())


def _behind_all_ends(length, pad):
    """onnxruntime does not initialize the columns from that on in which the last of all rows ends."""
    def left_open(found):
        sequences = found[0]
        column = sequences.shape[1]
        while column > length and (sequences[:, column - 1] == pad).all():
            column -= 1
        return {0: numpy.broadcast_to(numpy.arange(sequences.shape[1]) >= column, sequences.shape)}
    return left_open


def greedy_case(random, op="GreedySearch"):
    sizes = Sizes(random)
    attributes = _attributes(random, sizes)
    attributes["decoder"], tables = gpt_body(sizes)
    if random.random() < 0.4:
        attributes["init_decoder"], _ = gpt_body(sizes, "init_decoder", tables)
    batch, length = random.choice([1, 2, 3]), random.randrange(1, 7)
    masks = _masks(random, sizes, batch)
    ids = _tokens(random, sizes, batch, length, attributes["pad_token_id"])
    longest = length + random.randrange(1, 9)
    least = random.choice([0, length + 1, longest - 1])
    inputs = [ids, _int(longest), _int(least),
              _maybe(random, lambda: numpy.array([random.choice([1.0, 1.3, 0.8])], numpy.float32)), *masks,
              _maybe(random, lambda: (random.random((batch, length)) < 0.8).astype(numpy.int32), 0.3)]
    if op == "Sampling":
        attributes |= {"temperature": random.choice([None, 1.0, 0.7, 2.0]), "top_p": random.choice([0.3, 0.8, 0.95, 1.0]),
                       "filter_value": random.choice([None, -1e20]), "min_tokens_to_keep": random.choice([None, 1, 2]),
                       "custom": random.choice([None, 0, 1])}
        inputs += [None, _maybe(random, lambda: _int(random.randrange(1, 10000)), 0.8)]
    return Case(op, inputs, 1, attributes, constants=(), left_open=_behind_all_ends(length, attributes["pad_token_id"]))


class AttentionSizes(Sizes):
    """Heads whose keys come in whole groups of 16 bytes."""

    def __init__(self, random):
        super().__init__(random)
        self.heads, self.head = random.choice([(1, 4), (2, 4), (1, 8)])
        self.width = self.heads * self.head
        self.tables = {"tokens": self.array(self.vocabulary, self.width), "places": self.array(64, self.width, scale=0.3),
                       "logits": self.array(self.width, self.vocabulary, scale=1.5)}
        self.layer_weights = [(self.array(self.width, 3 * self.width), self.array(3 * self.width)) for _ in range(self.layers)]
        self.crosses = [self.array(self.width, 2 * self.width) for _ in range(self.layers)]


def _attend(body, op, inputs, outputs, **attributes):
    body.nodes.append(helper.make_node(op, inputs, outputs, domain="com.microsoft", **attributes))
    return outputs[0]


def _shared_inputs(body, has_beams):
    names = [body.input("past_sequence_length", _INT, [1])]
    if has_beams:
        names += [body.input("beam_width", _INT, [1]),
                  body.input("cache_indirection", _INT, ["batch_size", "beam_width", "max_seq_len"])]
    return names


def attention_gpt_body(sizes, name, shares, has_beams, is_masked):
    """With Attention, or DecoderMaskedSelfAttention, as convert_generation writes them for one buffer and for two."""
    body = Body(name)
    length = "max_seq_len" if shares else "past_length"
    ids = body.input("input_ids", _INT, ["batch_size", "sequence_length"])
    places = body.input("position_ids", _INT, ["batch_size", "sequence_length"])
    mask = body.input("attention_mask", _INT, ["batch_size", "total_length"])
    pasts = [body.input(f"past_{layer}", _FLOAT, [2, "batch_size", sizes.heads, length, sizes.head]) for layer in range(sizes.layers)]
    shared = _shared_inputs(body, has_beams) if shares else []
    hidden = body.op("Add", _embedding(body, ids, sizes.tables["tokens"]), _embedding(body, places, sizes.tables["places"]))
    body.output("logits", _FLOAT, ["batch_size", "sequence_length", sizes.vocabulary])
    for layer, (weight, bias) in enumerate(sizes.layer_weights):
        inputs = [hidden, body.weight(weight), body.weight(bias), mask, pasts[layer]]
        attributes = {"num_heads": sizes.heads}
        if not is_masked:
            attributes["unidirectional"] = 1
        if shares:
            inputs += ["", *(shared if is_masked else shared[:1])]
            attributes["past_present_share_buffer"] = 1
        y = _attend(body, "DecoderMaskedSelfAttention" if is_masked else "Attention", inputs,
                    [f"{name}_y{layer}", f"present_{layer}"], **attributes)
        body.output(f"present_{layer}", _FLOAT, [2, "batch_size", sizes.heads, "max_seq_len" if shares else "total_length", sizes.head])
        hidden = body.op("Add", hidden, y)
    _logits(body, hidden, sizes.tables["logits"])
    return body.graph()


def attention_t5_bodies(sizes, shares):
    """An encoder that makes the caches of cross-attention, and a decoder that takes all steps."""
    encoder = Body("encoder")
    source = encoder.input("encoder_input_ids", _INT, ["batch_size", "encode_length"])
    encoder.input("encoder_attention_mask", _INT, ["batch_size", "encode_length"])
    states = _embedding(encoder, source, sizes.tables["tokens"])
    cross_shape = ["batch_size", sizes.heads, "encode_length", sizes.head]
    for layer in range(sizes.layers):
        for part, kind in enumerate(("key", "value")):
            weights = encoder.weight(numpy.ascontiguousarray(sizes.crosses[layer][:, part * sizes.width:(part + 1) * sizes.width]))
            encoder.op("Identity", _heads(encoder, sizes, encoder.op("MatMul", states, weights)), to=f"present_{kind}_cross_{layer}")
            encoder.output(f"present_{kind}_cross_{layer}", _FLOAT, cross_shape)
    decoder = Body("decoder")
    ids = decoder.input("input_ids", _INT, ["batch_size", 1])
    mask = decoder.input("encoder_attention_mask", _INT, ["batch_size", "encode_length"])
    shape = ["batch_size", sizes.heads, "max_seq_len" if shares else "past_length", sizes.head]
    pairs = [(layer, kind) for layer in range(sizes.layers) for kind in ("key", "value")]
    pasts = {pair: decoder.input(f"past_{pair[1]}_self_{pair[0]}", _FLOAT, shape) for pair in pairs}
    crosses = {pair: decoder.input(f"past_{pair[1]}_cross_{pair[0]}", _FLOAT, cross_shape) for pair in pairs}
    shared = _shared_inputs(decoder, True) if shares else []
    hidden = _embedding(decoder, ids, sizes.tables["tokens"])
    for layer, (weight, _) in enumerate(sizes.layer_weights):
        columns = [decoder.op("MatMul", hidden, decoder.weight(numpy.ascontiguousarray(each)))
                   for each in numpy.split(weight, 3, 1)]
        caches = [pasts[layer, "key"], pasts[layer, "value"]]
        presents = [f"present_{kind}_self_{layer}" for kind in ("key", "value")]
        cross = [crosses[layer, "key"], crosses[layer, "value"]]
        if shares:
            y = _attend(decoder, "DecoderMaskedMultiHeadAttention", [*columns, "", "", *caches, *shared],
                        [f"y{layer}", *presents], num_heads=sizes.heads, past_present_share_buffer=1)
            hidden = decoder.op("Add", hidden, y)
            z = _attend(decoder, "DecoderMaskedMultiHeadAttention", [hidden, *cross, mask, "", "", "", *shared], [f"z{layer}"],
                        num_heads=sizes.heads, past_present_share_buffer=1)
        else:
            y = _attend(decoder, "MultiHeadAttention", [*columns, "", "", "", *caches], [f"y{layer}", *presents], num_heads=sizes.heads)
            hidden = decoder.op("Add", hidden, y)
            z = _attend(decoder, "MultiHeadAttention", [hidden, *cross, "", mask], [f"z{layer}"], num_heads=sizes.heads)
        hidden = decoder.op("Add", hidden, z)
    _logits(decoder, hidden, sizes.tables["logits"])
    decoder.output("logits", _FLOAT, ["batch_size", 1, sizes.vocabulary])
    for layer, kind in pairs:
        decoder.output(f"present_{kind}_self_{layer}", _FLOAT,
                       ["batch_size", sizes.heads, "max_seq_len" if shares else "present_length", sizes.head])
    return encoder.graph(), decoder.graph()


def _expected_of(case):
    """The outputs of onnxruntime for a case, whose bodies it computes on CPUs."""
    model = build_model(case, frozenset(), {each: list(case.inputs[each].shape) for each in case.present()})
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, {f"x{each}": case.inputs[each] for each in case.present()})
    except Exception as error:  # pylint: disable=broad-except
        raise onnxruntime_worker.PeerError(str(error)) from error


def shared_buffer_case(random, op):
    """Bodies with one buffer for past and present, which onnxruntime computes on GPUs alone, against bodies with two."""
    sizes = AttentionSizes(random)
    is_beam = op == "BeamSearch"
    is_t5 = is_beam and random.random() < 0.4
    attributes = _attributes(random, sizes)
    batch, length = random.choice([1, 2, 3]), random.randrange(1, 5)
    ids = _tokens(random, sizes, batch, length, attributes["pad_token_id"])
    start = 1 if is_t5 else length
    longest, beams = start + random.randrange(2, 9), random.choice([1, 2, 3]) if is_beam else 1
    two, one = dict(attributes), dict(attributes)
    if is_t5:
        for each, shares in ((two, False), (one, True)):
            each |= {"decoder_start_token_id": 1, "model_type": 1, "early_stopping": 1}
            each["encoder"], each["decoder"] = attention_t5_bodies(sizes, shares)
    else:
        two["decoder"] = attention_gpt_body(sizes, "decoder", False, False, False)
        is_masked = is_beam or random.random() < 0.5
        one["decoder"] = attention_gpt_body(sizes, "decoder", True, is_beam, is_masked)
        if is_masked:
            one["init_decoder"] = attention_gpt_body(sizes, "init_decoder", True, is_beam, False)
        if is_beam:
            two["early_stopping"] = one["early_stopping"] = 1
    inputs = [ids, _int(longest), _int(longest - 1)]
    if is_beam:
        inputs += [_int(beams), _int(random.randrange(1, beams + 1)), numpy.array([1.0], numpy.float32)]
    else:
        inputs += [None] * 5 + ([_int(random.randrange(1, 10000))] if op == "Sampling" else [])
        extra = {"top_p": random.choice([0.3, 0.8]), "temperature": random.choice([1.0, 0.7])} if op == "Sampling" else {}
        two, one = two | extra, one | extra
    outputs = 2 if is_beam else 1
    reference = Case(op, inputs, outputs, two)
    return Case(op, inputs, outputs, one, tolerance=(1e-4, 1e-4), constants=(), expected=lambda: _expected_of(reference),
                left_open=None if is_beam else _behind_all_ends(length, attributes["pad_token_id"]))


def ngram_case(random):
    batch, length, vocabulary = random.randrange(1, 4), random.randrange(0, 12), random.randrange(2, 20)
    ids = random.integers(0, random.randrange(1, min(4, vocabulary) + 1), (batch, length)).astype(numpy.int64)
    scores = random.normal(0, 1, (batch, vocabulary)).astype(numpy.float32)
    return Case("NGramRepeatBlock", [ids, scores], 1, {"ngram_size": random.randrange(1, 5)})


def bifurcation_case(random):
    count = random.randrange(1, 12)
    source = random.integers(0, random.randrange(1, 6), count).astype(numpy.int64)
    current = random.integers(0, 5, random.randrange(1, 6)).astype(numpy.int64)
    start = random.randrange(0, count + 1)
    predicted = numpy.concatenate([source[start:], random.integers(0, 5, 1)]).astype(numpy.int64)
    if random.random() < 0.7:
        predicted[random.randrange(0, len(predicted))] = random.randrange(0, 5)
    least = random.randrange(1, 4)
    return Case("BifurcationDetector",
                [source, current, numpy.array([start], numpy.int64), predicted if random.random() < 0.8 else None], 2,
                {"min_ngram_size": random.choice([None, 1, least]), "max_ngram_size": random.choice([least, least + 2])})


def warping_case(random):
    shape = (random.randrange(1, 9), random.randrange(1, 9))
    costs = random.normal(0, 1, shape) if random.random() < 0.6 else random.integers(0, 3, shape)
    if random.random() < 0.3:
        costs = costs[None]
    return Case("DynamicTimeWarping", [numpy.asarray(costs, numpy.float32)], 1)


def cases(random):
    for _ in range(40):
        yield beam_case(random, 0)
    for _ in range(40):
        yield beam_case(random, 1)
    for _ in range(20):
        yield beam_case(random, 2)
    for _ in range(40):
        yield beam_case(random, 2, "WhisperBeamSearch")
    for _ in range(40):
        yield greedy_case(random)
    for _ in range(40):
        yield greedy_case(random, "Sampling")
    for op in ("BeamSearch", "GreedySearch", "Sampling"):
        for _ in range(30):
            yield shared_buffer_case(random, op)
    for make in (ngram_case, bifurcation_case, warping_case):
        for _ in range(40):
            yield make(random)
