#!/usr/bin/env python3
"""Times Donut, from an image to ids, in ortool, onnxruntime and PyTorch (eager and compiled), in one interleaved run.

usage: compare_donut.py PROGRAM FOLDER [--size small|base] [--threads 1,2] [--rounds 3] [--tokens 32] [--past 64] [--only ortool,…]

Random weights (donut.py). Optimum exports the model to FOLDER/SIZE: encoder, decoder of the first step, decoder of later steps,
and both decoders merged; `ortool optimize` writes FOLDER/SIZE/optimized. ortool runs the optimized files, onnxruntime those of
optimum. Timed: the encoder, one decoder step after --past tokens, and greedy decoding of --tokens tokens from the image, with
the decoders apart and merged. The ids of all have to be equal. Times are medians over the rounds; of ortool's decoding the
process that loads the files is measured, without the loading, of the others runs after the first. `ortool-python`, only if it
is named, is ortool's Python package (on PYTHONPATH) in onnxruntime's place: the same loop, warmed up like it.
"""
import argparse
import contextlib
import io
import json
import os
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "benchmark"))
# pylint: disable=wrong-import-position
import numpy  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402
import compare_peers  # noqa: E402
import donut  # noqa: E402

_HERE = os.path.dirname(os.path.abspath(__file__))
_PARTS = ["encoder_model", "decoder_model", "decoder_with_past_model", "decoder_model_merged"]
_BLOCK_SECONDS = 0.2
_RUNTIMES = ["ortool", "onnxruntime", "eager", "compiled"]


def export(size, folder):
    """The files of optimum, unless they are there."""
    if all(os.path.exists(os.path.join(folder, part + ".onnx")) for part in _PARTS):
        return
    from optimum.exporters.onnx import onnx_export_from_model  # pylint: disable=import-outside-toplevel
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        onnx_export_from_model(donut.make(size), folder, task="image-to-text-with-past", do_validation=False)


def optimize(program, folder):
    place = os.path.join(folder, "optimized")
    os.makedirs(place, exist_ok=True)
    for part in _PARTS:
        subprocess.run([program, "optimize", os.path.join(folder, part + ".onnx"), "-o", os.path.join(place, part + ".onnx"), "-q",
                        "--force"], check=True)
    return place


def write_feeds(folder, size, past):
    """Inputs of the encoder and of a later step, as files named after the inputs."""
    generator = numpy.random.default_rng(2)
    sizes = {"batch_size": 1, "num_channels": 3, "past_decoder_sequence_length": past, "decoder_sequence_length": 1}
    sets = {"encoder_model": {"pixel_values": donut.image(size).numpy()}, "decoder_with_past_model": {}}
    session = open_session(folder, "encoder_model", 1)
    states = session.run(None, sets["encoder_model"])[0]
    for value in open_session(folder, "decoder_with_past_model", 1).get_inputs():
        shape = [size if isinstance(size, int) else sizes.get(size, states.shape[1]) for size in value.shape]
        sets["decoder_with_past_model"][value.name] = (
            numpy.full(shape, donut.START) if value.name == "input_ids"
            else states if value.name == "encoder_hidden_states" else generator.normal(size=shape).astype(numpy.float32))
    for part, feeds in sets.items():
        os.makedirs(os.path.join(folder, "inputs", part), exist_ok=True)
        for name, array in feeds.items():
            numpy.save(os.path.join(folder, "inputs", part, name + ".npy"), array)
    return sets


def open_session(folder, part, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 4
    return onnxruntime.InferenceSession(os.path.join(folder, part + ".onnx"), options, providers=["CPUExecutionProvider"])


def open_own_session(folder, part, threads):
    import ortool  # pylint: disable=import-outside-toplevel
    return ortool.InferenceSession(os.path.join(folder, part + ".onnx"), threads=threads)


def time_runs(call, count):
    samples = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        samples.append(1e3 * (time.perf_counter() - begin))
    return samples


class OnnxRuntime:
    def __init__(self, folder, threads, sets, opener=open_session):
        self.sessions = {part: opener(folder, part, threads) for part in _PARTS}
        self.sets, self.tokens = sets, []

    def run(self, row, count):
        if row in self.sets:
            return time_runs(lambda: self.sessions[row].run(None, self.sets[row]), count)
        parts = ["decoder_model_merged"] * 2 if row == "merged" else ["decoder_model", "decoder_with_past_model"]
        return time_runs(lambda: self.decode(*(self.sessions[part] for part in parts), count), 1)

    def decode(self, first, later, count):
        states = self.sessions["encoder_model"].run(None, self.sets["encoder_model"])[0]
        token, caches, self.tokens = numpy.full((1, 1), donut.START), {}, []
        for step in range(count):
            session = later if step else first
            feeds = {value.name: self.feed(value, token, states, caches, step) for value in session.get_inputs()}
            made = dict(zip([value.name for value in session.get_outputs()], session.run(None, feeds)))
            for name, array in made.items():
                if name.startswith("present") and (step == 0 or ".encoder." not in name):
                    caches[name.replace("present", "past_key_values")] = array
            token = made["logits"][:, -1].argmax(-1)[:, None]
            self.tokens.append(int(token[0, 0]))

    @staticmethod
    def feed(value, token, states, caches, step):
        if value.name == "input_ids":
            return token
        if value.name == "encoder_hidden_states":
            return states
        if value.name == "use_cache_branch":
            return numpy.array([step > 0])
        if value.name in caches:
            return caches[value.name]
        return numpy.zeros((1, value.shape[1], 1, value.shape[3]), numpy.float32)

    def close(self):
        pass


class Stepped:
    """A program that answers each line with a line of JSON."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class PyTorch(Stepped):
    def __init__(self, size, kind, threads, past):
        super().__init__([sys.executable, os.path.join(_HERE, "donut_torch.py"), size, kind, str(threads), str(past)])
        self.tokens = []

    def run(self, row, count):
        part = {"encoder_model": "encoder", "decoder_with_past_model": "step"}.get(row, "loop")
        made = self.ask(f"{part} {count}")
        self.tokens = made["tokens"] or self.tokens
        return made["samples_ms"]


class Ortool:
    def __init__(self, program, folder, inputs, threads):
        self.program, self.folder, self.inputs, self.threads, self.tokens = program, folder, inputs, str(threads), []
        self.benches = {part: Stepped([program, "bench", os.path.join(folder, part + ".onnx"), "--stepped", "-q", "--input-dir",
                                       os.path.join(inputs, part), "--threads", self.threads])
                        for part in ("encoder_model", "decoder_with_past_model")}

    def run(self, row, count):
        if row in self.benches:
            return self.benches[row].ask(f"run {count}")["samples_ms"]
        parts = ["decoder_model_merged"] if row == "merged" else ["decoder_model", "decoder_with_past_model"]
        command = [self.program, "run", os.path.join(self.folder, "encoder_model.onnx"), "--loop", "auto", "--json", "-q", "--input",
                   "pixel_values=" + os.path.join(self.inputs, "encoder_model", "pixel_values.npy"), "--loop", f"start={donut.START}",
                   "--loop", "end=2147483647", "--steps", str(count), "--threads", self.threads]
        for part in parts:
            command += ["--loop", "decoder=" + os.path.join(self.folder, part + ".onnx")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr + done.stdout)
        loop = json.loads(done.stdout)["loop"]
        self.tokens = loop["generated"][0]["tokens"][0]
        return [sum(loop["step_ms"])]

    def close(self):
        for bench in self.benches.values():
            bench.close()


def measure(runtimes, rows, arguments, order):
    """Milliseconds of every block by (row, runtime)."""
    counts, samples = {}, {(row, name): [] for row in rows for name in runtimes}
    for row in rows:
        for name, runtime in runtimes.items():
            if row in ("apart", "merged"):
                counts[row, name] = arguments.tokens
                runtime.run(row, arguments.tokens)
            else:
                runtime.run(row, 2)
                counts[row, name] = max(1, round(1e3 * _BLOCK_SECONDS / min(runtime.run(row, 2))))
    for _ in range(arguments.rounds):
        for row in rows:
            names = list(runtimes)
            order.shuffle(names)
            for name in names:
                samples[row, name].append(statistics.median(runtimes[name].run(row, counts[row, name])))
    return samples


def print_table(samples, rows, names, titles):
    print("| | " + " | ".join(names) + " | " + " | ".join(f"{name} / {names[0]}" for name in names[1:]) + " |")
    print("|" + "---|" * (2 * len(names)))
    for row in rows:
        cells = [f"{statistics.median(samples[row, name]):.1f}" for name in names]
        for name in names[1:]:
            ratio, low, high = compare_peers.ratio_with_interval(samples[row, name], samples[row, names[0]], 1)
            cells.append(f"{ratio:.2f} ({low:.2f} to {high:.2f})")
        print(f"| {titles[row]} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--size", choices=list(donut.SIZES), default="small")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--past", type=int, default=64)
    parser.add_argument("--only", default=",".join(_RUNTIMES))
    arguments = parser.parse_args()
    folder = os.path.abspath(os.path.join(arguments.folder, arguments.size))
    os.makedirs(folder, exist_ok=True)
    export(arguments.size, folder)
    optimized = optimize(arguments.program, folder)
    sets = write_feeds(folder, arguments.size, arguments.past)
    titles = {"encoder_model": "encoder", "decoder_with_past_model": f"decoder step after {arguments.past} tokens",
              "apart": f"image to {arguments.tokens} ids, decoders apart", "merged": f"image to {arguments.tokens} ids, merged decoder"}
    print(f"Donut, {arguments.size}; onnxruntime {onnxruntime.__version__}, PyTorch {torch.__version__}; {arguments.rounds} rounds, "
          "medians in ms, ratios with 95 % intervals", flush=True)
    order, is_good = random.Random(1), True
    for threads in map(int, arguments.threads.split(",")):
        make = {"ortool": lambda: Ortool(arguments.program, optimized, os.path.join(folder, "inputs"), threads),
                "ortool-python": lambda: OnnxRuntime(optimized, threads, sets, open_own_session),
                "onnxruntime": lambda: OnnxRuntime(folder, threads, sets),
                "eager": lambda: PyTorch(arguments.size, "eager", threads, arguments.past),
                "compiled": lambda: PyTorch(arguments.size, "compiled", threads, arguments.past)}
        runtimes = {name: make[name]() for name in arguments.only.split(",")}
        samples = measure(runtimes, list(titles), arguments, order)
        print(f"\n{threads} thread(s)\n")
        print_table(samples, list(titles), list(runtimes), titles)
        tokens = {name: runtime.tokens for name, runtime in runtimes.items()}
        if any(found != tokens["ortool"] for found in tokens.values()):
            is_good = False
            print(f"the ids differ: {tokens}")
        for runtime in runtimes.values():
            runtime.close()
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
