# Encoder-decoders in the layout of optimum's exports, with random weights: text to text and image to text.
"""write_files(folder, kind, seed): kind is "merged" (one decoder with an If), "parts" (decoders of the first and of the later
steps) or "plain" (a decoder without caches). Images instead of tokens enter with `image=True`."""
import json
import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

WORDS, HEADS, HEAD, LAYERS = 24, 2, 4, 2
WIDTH = HEADS * HEAD
_F, _I, _B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Graph:
    def __init__(self, name):
        self.name, self.nodes, self.inputs, self.outputs, self.weights = name, [], [], [], []

    def input(self, name, element, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))
        return name

    def output(self, name, *shape):
        self.outputs.append(helper.make_tensor_value_info(name, _F, shape))

    def weight(self, array):
        name = f"{self.name}_w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def ints(self, *values):
        return self.weight(numpy.array(values, numpy.int64))

    def op(self, op, *inputs, to=None, **attributes):
        name = to or f"{self.name}_v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def graph(self):
        return helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)


class Weights:
    """Arrays by name, the same in all files of a model."""

    def __init__(self, seed):
        self.random, self.arrays = numpy.random.default_rng(seed), {}

    def get(self, name, *shape, scale=0.6):
        if name not in self.arrays:
            self.arrays[name] = self.random.normal(0, scale, shape).astype(numpy.float32)
        return self.arrays[name]


def split_heads(g, value):
    return g.op("Transpose", g.op("Reshape", value, g.ints(0, -1, HEADS, HEAD)), perm=[0, 2, 1, 3])


def attend(g, weights, name, hidden, keys, values, mask=None):
    """Attention of all positions to all keys under a mask [batch, keys]."""
    query = split_heads(g, g.op("MatMul", hidden, g.weight(weights.get(name + "q", WIDTH, WIDTH))))
    scores = g.op("MatMul", query, g.op("Transpose", keys, perm=[0, 1, 3, 2]))
    if mask is not None:
        hole = g.op("Mul", g.op("Sub", g.weight(numpy.float32(1)), mask), g.weight(numpy.float32(-1e4)))
        scores = g.op("Add", scores, g.op("Unsqueeze", hole, g.ints(1, 2)))
    mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), values)
    flat = g.op("Reshape", g.op("Transpose", mixed, perm=[0, 2, 1, 3]), g.ints(0, -1, WIDTH))
    return g.op("Add", hidden, g.op("MatMul", flat, g.weight(weights.get(name + "o", WIDTH, WIDTH))))


def project(g, weights, name, value):
    return split_heads(g, g.op("MatMul", value, g.weight(weights.get(name, WIDTH, WIDTH))))


def as_float(g, value):
    name = f"{g.name}_v{len(g.nodes)}"
    g.nodes.append(helper.make_node("Cast", [value], [name], to=_F))
    return name


def save(graph, path):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def write_encoder(path, weights, image):
    g = Graph("encoder")
    if image:
        pixels = g.input("pixel_values", _F, "batch", 3, 8, 8)
        patches = g.op("Conv", pixels, g.weight(weights.get("patch", WIDTH, 3, 4, 4)), strides=[4, 4])
        hidden = g.op("Transpose", g.op("Reshape", patches, g.ints(0, WIDTH, -1)), perm=[0, 2, 1])
        mask = None
    else:
        ids = g.input("input_ids", _I, "batch", "encoder_sequence_length")
        mask = as_float(g, g.input("attention_mask", _I, "batch", "encoder_sequence_length"))
        hidden = g.op("Gather", g.weight(weights.get("source", WORDS, WIDTH, scale=1.0)), ids)
    attended = attend(g, weights, "encoder", hidden, project(g, weights, "ek", hidden), project(g, weights, "ev", hidden), mask)
    g.op("Identity", attended, to="last_hidden_state")
    g.output("last_hidden_state", "batch", "states" if image else "encoder_sequence_length", WIDTH)
    save(g.graph(), path)


def cache_names(kind):
    return [f"{layer}.{kind}.{part}" for layer in range(LAYERS) for part in ("key", "value")]


def decoder_step(g, weights, ids, mask, states, pasts, crosses):
    """Adds a step. `crosses`: None where they follow from `states`. Returns logits and caches by name."""
    caches = {}
    mask = None if mask is None else as_float(g, mask)
    hidden = g.op("Gather", g.weight(weights.get("words", WORDS, WIDTH, scale=1.0)), ids)
    for layer in range(LAYERS):
        for part in ("key", "value"):
            new = project(g, weights, f"d{part}{layer}", hidden)
            name = f"{layer}.decoder.{part}"
            caches[name] = g.op("Concat", pasts[name], new, axis=2) if pasts else new
            if crosses is None:
                caches[f"{layer}.encoder.{part}"] = project(g, weights, f"c{part}{layer}", states)
            else:
                caches[f"{layer}.encoder.{part}"] = crosses[f"{layer}.encoder.{part}"]
        hidden = attend(g, weights, f"self{layer}", hidden, caches[f"{layer}.decoder.key"], caches[f"{layer}.decoder.value"])
        hidden = attend(g, weights, f"cross{layer}", hidden, caches[f"{layer}.encoder.key"], caches[f"{layer}.encoder.value"], mask)
    return g.op("MatMul", g.op("Tanh", hidden), g.weight(weights.get("logits", WIDTH, WORDS, scale=1.5))), caches


def decoder_inputs(g, image, has_states):
    ids = g.input("input_ids", _I, "batch", "decoder_sequence_length")
    mask = None if image else g.input("encoder_attention_mask", _I, "batch", "encoder_sequence_length")
    states = g.input("encoder_hidden_states", _F, "batch", "encoder_sequence_length", WIDTH) if has_states else None
    return ids, mask, states


def past_inputs(g):
    shapes = {"decoder": "past_decoder_sequence_length", "encoder": "encoder_sequence_length"}
    return {name: g.input(f"past_key_values.{name}", _F, "batch", HEADS, shapes[kind], HEAD)
            for kind in shapes for name in cache_names(kind)}


def set_outputs(g, logits, caches, names):
    g.op("Identity", logits, to="logits")
    g.output("logits", "batch", "decoder_sequence_length", WORDS)
    for name in names:
        g.op("Identity", caches[name], to=f"present.{name}")
        g.output(f"present.{name}", None, HEADS, None, HEAD)


def write_first(path, weights, image, has_caches=True):
    g = Graph("first")
    logits, caches = decoder_step(g, weights, *decoder_inputs(g, image, True), None, None)
    set_outputs(g, logits, caches, cache_names("decoder") + cache_names("encoder") if has_caches else [])
    save(g.graph(), path)


def write_later(path, weights, image):
    g = Graph("later")
    inputs = decoder_inputs(g, image, False)
    pasts = past_inputs(g)
    logits, caches = decoder_step(g, weights, *inputs, pasts, pasts)
    set_outputs(g, logits, caches, cache_names("decoder"))
    save(g.graph(), path)


def write_merged(path, weights, image):
    """As optimum merges them: the branch with caches leaves empty ones of cross-attention."""
    g = Graph("merged")
    ids, mask, states = decoder_inputs(g, image, True)
    pasts = past_inputs(g)
    branch = g.input("use_cache_branch", _B, 1)
    names = cache_names("decoder") + cache_names("encoder")
    branches = []
    for name, is_cached in (("with_cache", True), ("without_cache", False)):
        inner = Graph(name)
        logits, caches = decoder_step(inner, weights, ids, mask, states, pasts if is_cached else None, pasts if is_cached else None)
        if is_cached:
            empty = inner.weight(numpy.zeros((0, HEADS, 1, HEAD), numpy.float32))
            caches |= {each: empty for each in cache_names("encoder")}
        for place, value in enumerate([logits] + [caches[each] for each in names]):
            inner.op("Identity", value, to=f"{name}_out{place}")
            inner.output(f"{name}_out{place}", *([None] * (3 if place == 0 else 4)))
        branches.append(inner.graph())
    outputs = ["logits"] + [f"present.{name}" for name in names]
    g.nodes.append(helper.make_node("If", [branch], outputs, then_branch=branches[0], else_branch=branches[1]))
    g.output("logits", "batch", "decoder_sequence_length", WORDS)
    for name in names:
        g.output(f"present.{name}", None, HEADS, None, HEAD)
    save(g.graph(), path)


def write_files(folder, kind, seed, image=False):
    os.makedirs(folder, exist_ok=True)
    weights = Weights(seed)
    write_encoder(os.path.join(folder, "encoder_model.onnx"), weights, image)
    if kind == "merged":
        write_merged(os.path.join(folder, "decoder_model_merged.onnx"), weights, image)
    else:
        write_first(os.path.join(folder, "decoder_model.onnx"), weights, image, kind == "parts")
    if kind == "parts":
        write_later(os.path.join(folder, "decoder_with_past_model.onnx"), weights, image)
    config = {"decoder_start_token_id": 1, "eos_token_id": [2], "pad_token_id": 0, "bos_token_id": 5}
    with open(os.path.join(folder, "generation_config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    if image:
        with open(os.path.join(folder, "preprocessor_config.json"), "w", encoding="utf-8") as file:
            json.dump({"do_resize": True, "size": {"height": 8, "width": 8}, "resample": 2, "do_rescale": True,
                       "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5, 0.5, 0.5],
                       "image_std": [0.5, 0.5, 0.5]}, file)
