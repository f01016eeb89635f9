# Encoder-decoders by run --loop auto: the same tokens as onnxruntime driven by a loop in Python over the same files.
"""usage: check_encoder_decoders.py PROGRAM [MODELS]

Writes small models in the layout of optimum's exports, from tokens and from images, and compares what PROGRAM generates.
MODELS: a folder of tests/exporters with t5-encoder, t5-merged and so on, which are compared too; their parts have weights of
their own each, which does not matter here."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import wave

try:
    import numpy
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

import encoder_decoder_files as files

_TYPES = {"tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(float)": numpy.float32,
          "tensor(bool)": numpy.bool_, "tensor(float16)": numpy.float16}


def open_session(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def named(session, arrays):
    return dict(zip([each.name for each in session.get_outputs()], arrays))


def decoder_feeds(session, state, step):
    """What onnxruntime's decoder gets, by the names of its inputs."""
    feeds, lengths = {}, {"encoder": state["states"].shape[1]}
    for value in session.get_inputs():
        name, kind = value.name, _TYPES[value.type]
        if name in ("input_ids", "decoder_input_ids"):
            feeds[name] = state["ids"].astype(kind)
        elif name == "encoder_attention_mask":
            feeds[name] = state["mask"].astype(kind)
        elif name == "encoder_hidden_states":
            feeds[name] = state["states"].astype(kind)
        elif name == "use_cache_branch":
            feeds[name] = numpy.array([step > 0])
        elif name in state["caches"]:
            feeds[name] = state["caches"][name]
        elif name.startswith("past"):
            length = lengths["encoder"] if ".encoder." in name else 0
            feeds[name] = numpy.zeros((len(state["ids"]), value.shape[1], length, value.shape[3]), kind)
        elif name == "cache_position":
            feeds[name] = numpy.arange(state["past"], state["past"] + state["ids"].shape[1], dtype=kind)
        else:
            raise ValueError(f"input {name}")
    return feeds


def generate(encoder, decoders, inputs, start, ends, padding, steps):
    """Greedy decoding by onnxruntime: the tokens of each row up to its end."""
    sessions = [open_session(path) for path in decoders]
    session = open_session(encoder)
    feeds = {value.name: inputs[value.name].astype(_TYPES[value.type]) for value in session.get_inputs()}
    states = session.run(None, feeds)[0]
    batch = len(states)
    state = {"states": states, "mask": inputs.get("attention_mask", numpy.ones(states.shape[:2], numpy.int64)), "past": 0,
             "ids": numpy.array([start] * batch, numpy.int64), "caches": {}}
    rows, ended = [[] for _ in range(batch)], [False] * batch
    for step in range(steps):
        session = sessions[min(step, len(sessions) - 1)]
        outputs = named(session, session.run(None, decoder_feeds(session, state, step)))
        chosen = outputs["logits"][:, -1].argmax(axis=-1)
        for row, token in enumerate(chosen):
            if ended[row]:
                chosen[row] = padding
            else:
                rows[row].append(int(token))
                ended[row] = token in ends
        later = {value.name for value in sessions[-1].get_inputs() if value.name.startswith("past")}
        for name in later:
            if step == 0 or ".encoder." not in name:
                state["caches"][name] = outputs[name.replace("past_key_values", "present")]
        state["past"] += state["ids"].shape[1]
        column = chosen[:, None].astype(numpy.int64)
        state["ids"] = column if later else numpy.concatenate([state["ids"], column], axis=1)
        if all(ended):
            break
    return rows


def run_program(program, model, options):
    done = subprocess.run([program, "run", model, "--loop", "auto", "--json", *options], capture_output=True, check=False)
    document = json.loads(done.stdout)
    if done.returncode != 0:
        return document["errors"]
    return document["loop"]["generated"][0]["tokens"]


def compare(name, found, expected):
    print(f"{name}: {'equal' if found == expected else f'DIFFERENT: {found} where {expected} is expected'}", flush=True)
    return found == expected


def check_written(program, folder, random):
    """Models made here, from tokens in batches with padding, and from images."""
    is_right = True
    for seed, kind in enumerate(("merged", "parts", "plain")):
        place = os.path.join(folder, kind)
        files.write_files(place, kind, seed)
        decoders = {"merged": ["decoder_model_merged.onnx"], "plain": ["decoder_model.onnx"],
                    "parts": ["decoder_model.onnx", "decoder_with_past_model.onnx"]}[kind]
        decoders = [os.path.join(place, each) for each in decoders]
        for batch, length in ((1, 3), (3, 5)):
            mask = numpy.ones((batch, length), numpy.int64)
            mask[-1, 2:] = 0
            inputs = {"input_ids": random.integers(3, files.WORDS, (batch, length)), "attention_mask": mask}
            paths = []
            for each, array in inputs.items():
                paths += ["--input", f"{each}={os.path.join(folder, each)}.npy"]
                numpy.save(os.path.join(folder, each), array)
            for start, ends in (([1], [2]), ([4, 7], [9, 3])):
                settings = [] if start == [1] else ["--loop", "start=4,7", "--loop", "end=9,3"]
                expected = generate(os.path.join(place, "encoder_model.onnx"), decoders, inputs, start, ends, 0, 12)
                found = run_program(program, place, [*paths, *settings, "--steps", "12"])
                is_right = compare(f"{kind}, batch {batch}, start {start}", found, expected) and is_right
    return is_right


def check_image(program, folder, random):
    """An image through preprocessor_config.json."""
    place = os.path.join(folder, "image", "onnx")
    files.write_files(place, "merged", 7, image=True)
    pixels = random.integers(0, 256, (8, 8, 3)).astype(numpy.uint8)
    image = os.path.join(folder, "image.ppm")
    with open(image, "wb") as file:
        file.write(b"P6\n8 8\n255\n" + pixels.tobytes())
    inputs = {"pixel_values": ((pixels.astype(numpy.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]}
    expected = generate(os.path.join(place, "encoder_model.onnx"), [os.path.join(place, "decoder_model_merged.onnx")], inputs, [1],
                        [2], 0, 10)
    found = run_program(program, os.path.dirname(place), [image, "--image", "auto", "--steps", "10"])
    return compare("image", found, expected)


def log_mel(samples, bands, window, hop, rate):
    """Whisper's features of samples at full length."""
    def to_mel(hz):
        return hz * 3 / 200 if hz < 1000 else 15 + numpy.log(hz / 1000) * 27 / numpy.log(6.4)

    def to_hz(mel):
        return numpy.where(mel < 15, mel * 200 / 3, 1000 * numpy.exp((mel - 15) * numpy.log(6.4) / 27))

    edges = to_hz(numpy.linspace(0, to_mel(rate / 2), bands + 2))
    places = numpy.linspace(0, rate / 2, window // 2 + 1)
    up = (places - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - places) / (edges[2:] - edges[1:-1])[:, None]
    filters = numpy.maximum(0, numpy.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]
    padded = numpy.pad(samples, window // 2, mode="reflect")
    hann = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(window) / window)
    frames = [padded[start:start + window] * hann for start in range(0, len(samples), hop)]
    powers = numpy.abs(numpy.fft.rfft(numpy.array(frames), axis=1)) ** 2
    logs = numpy.log10(numpy.maximum(filters @ powers.T, 1e-10))
    return (numpy.maximum(logs, logs.max() - 8) + 4) / 4


def check_sound(program, folder, random):
    """A .wav file through Whisper's preprocessor_config.json: in stereo, shorter and longer than the model takes."""
    place = os.path.join(folder, "sound")
    os.makedirs(place)
    bands, window, hop, rate, seconds = 20, 64, 16, 4000, 1
    graph = files.Graph("sound")
    graph.op("Identity", graph.input("input_features", 1, "batch", bands, rate * seconds // hop), to="features")
    graph.output("features", "batch", bands, rate * seconds // hop)
    files.save(graph.graph(), os.path.join(place, "model.onnx"))
    with open(os.path.join(place, "preprocessor_config.json"), "w", encoding="utf-8") as file:
        json.dump({"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": bands, "sampling_rate": rate,
                   "hop_length": hop, "n_fft": window, "chunk_length": seconds}, file)
    is_right = True
    for count, channels in ((900, 1), (3000, 2), (5000, 1)):
        samples = (random.normal(0, 0.2, (count, channels)).clip(-1, 0.99) * 32768).astype("<i2")
        path = os.path.join(folder, "sound.wav")
        with wave.open(path, "wb") as file:
            file.setparams((channels, 2, rate, count, "NONE", ""))
            file.writeframes(samples.tobytes())
        done = subprocess.run([program, "run", place, path, "--output-dir", place, "-q"], capture_output=True, check=False)
        whole = numpy.zeros(rate * seconds)
        whole[:min(count, len(whole))] = (samples / 32768).mean(axis=1)[:len(whole)]
        found = numpy.load(os.path.join(place, "output_0.npy"))[0] if done.returncode == 0 else numpy.zeros((1, 1))
        error = numpy.abs(found - log_mel(whole, bands, window, hop, rate)).max()
        print(f"sound of {count} samples: largest difference {error:.2g} {done.stderr.decode()}", flush=True)
        is_right = is_right and bool(error < 1e-5)
    return is_right


def check_exported(program, models, folder, random):
    """Files of tests/exporters."""
    is_right = True
    for family in ("t5", "bart", "whisper", "trocr", "donut"):
        encoder = models / f"{family}-encoder" / "model.onnx"
        choices = {"merged": [f"{family}-merged"], "parts": [f"{family}-decoder", f"{family}-decoder-with-past"]}
        for kind, parts in choices.items():
            decoders = [str(models / part / "model.onnx") for part in parts]
            if not all(os.path.exists(path) for path in [encoder, *decoders]):
                continue
            sizes = {"batch_size": 1, "encoder_sequence_length": 6, "sequence_length": 6, "num_channels": 3,
                     "height": 64 if family == "donut" else 32, "width": 64 if family == "donut" else 32}
            inputs, options = {}, []
            for value in open_session(encoder).get_inputs():
                shape = [sizes[size] if isinstance(size, str) else size for size in value.shape]
                array = {"input_ids": lambda s: random.integers(3, 60, s), "attention_mask": lambda s: numpy.ones(s, numpy.int64)}.get(
                    value.name, lambda s: random.normal(0, 1, s).astype(numpy.float32))(shape)
                inputs[value.name] = array
                path = os.path.join(folder, value.name + ".npy")
                numpy.save(path, array)
                options += ["--input", f"{value.name}={path}"]
            for path in decoders:
                options += ["--loop", f"decoder={path}"]
            expected = generate(str(encoder), decoders, inputs, [1], [2], 0, 16)
            found = run_program(program, str(encoder), [*options, "--loop", "start=1", "--loop", "end=2", "--steps", "16"])
            is_right = compare(f"{family}, {kind}", found, expected) and is_right
    return is_right


def main():
    program = os.path.abspath(sys.argv[1])
    random = numpy.random.default_rng(20)
    with tempfile.TemporaryDirectory() as folder:
        checks = [check(program, folder, random) for check in (check_written, check_image, check_sound)]
        if len(sys.argv) > 2:
            checks.append(check_exported(program, pathlib.Path(sys.argv[2]), folder, random))
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
