#!/usr/bin/env python3
"""Times models in ortool and in other runtimes, in one interleaved run, and prints ratios with intervals.

In each round every runtime executes a block of runs of at least 0.2 s on the same inputs with the same number of
threads, in an order shuffled by a printed seed; ortool runs as `bench --stepped`, the others in this process. A block's
time is the median of its runs, a model's time the median over the rounds. The ratio is the peer's time divided by
ortool's (above 1: ortool is faster), as the median over rounds, with a 95 % bootstrap interval over rounds. Peers
(--peers) are onnxruntime, and openvino with float32 arithmetic if installed; openvino-auto is openvino at its defaults,
which compute in 16 bits where the processor gains by it. A peer given as a path is another build of ortool, such as that
of an earlier commit.
usage: compare_peers.py PROGRAM MODELS_FOLDER [--threads 1,2] [--rounds 5] [--only NAME,NAME] [--seed 1]
                        [--peers onnxruntime,openvino,openvino-auto,PROGRAM] [--markdown] [--least-ms MS] [--floor RATIO] [--sets 0]
                        [--clock wall|cpu] [--sessions 1]
                        [-- OPTIONS FOR ortool bench]

--sets are the numbers of the data sets that are timed, of models that have them. --least-ms skips models that no runtime
takes so long for with the first number of threads; --floor lists ratios below it. --clock cpu takes the processor time of
each block, divided by its runs, which other programs hardly disturb; it says nothing about several threads. --sessions
is how many sessions of a runtime run side by side, each with its own threads; a block's time is the median of all their
runs.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

BLOCK_SECONDS = 0.2


def read_inputs(folder, names):
    """The folder's input files, by the names stored in them, otherwise by position."""
    inputs = {}
    for index, (name, kind, shape) in enumerate(names):
        with open(os.path.join(folder, f"input_{index}.pb"), "rb") as file:
            data = file.read()
        if kind.startswith("seq"):
            inputs[name] = numpy_helper.to_list(onnx.SequenceProto.FromString(data))
            continue
        tensor = onnx.TensorProto.FromString(data)
        own = next((entry for entry in names if entry[0] == tensor.name), (name, kind, shape))
        array = numpy_helper.to_array(tensor)
        inputs[own[0]] = array.reshape(()) if not own[2] and array.size == 1 else array
    return inputs


class InProcess:
    """A runtime in this process; each call of run_once() is timed."""

    def cpu_seconds(self):
        return time.process_time()

    def block(self):
        return statistics.median(self.samples())

    def samples(self):
        samples, end = [], time.perf_counter() + BLOCK_SECONDS
        while len(samples) < 3 or time.perf_counter() < end:
            begin = time.perf_counter()
            self.run_once()
            samples.append(1e3 * (time.perf_counter() - begin))
        return samples

    def close(self):
        pass


class OnnxRuntime(InProcess):
    """onnxruntime on the CPU with all of its graph optimizations."""

    def __init__(self, model, folder, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.inputs = read_inputs(folder, [(value.name, value.type, value.shape) for value in self.session.get_inputs()])
        self.run_once()

    def run_once(self):
        self.session.run(None, self.inputs)


class OpenVino(InProcess):
    """openvino on the CPU, set to compute in float32 like the others."""
    settings = {"INFERENCE_PRECISION_HINT": "f32"}

    def __init__(self, model, folder, threads):
        import openvino
        core = openvino.Core()
        read = core.read_model(model)
        names = [(value.any_name, "tensor", list(value.partial_shape)) for value in read.inputs]
        self.inputs = {name: numpy.asarray(array) for name, array in read_inputs(folder, names).items()}
        compiled = core.compile_model(read, "CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, **self.settings})
        self.request = compiled.create_infer_request()
        self.run_once()

    def run_once(self):
        self.request.infer(self.inputs)


class OpenVinoAuto(OpenVino):
    """openvino at its defaults, which compute in 16 bits where the processor gains by it."""
    settings = {}


class Ortool:
    """The ortool program, stepped through its standard streams."""

    def __init__(self, program, model, folder, threads, options):
        command = [program, "bench", model, "--stepped", "-q", "--input-dir", folder, "--threads", str(threads)] + options
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        run_ms = max(1e-4, statistics.median(self.step(5)))
        self.runs = max(3, round(1e3 * BLOCK_SECONDS / run_ms))

    def step(self, runs):
        try:
            self.process.stdin.write(f"run {runs}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read().strip().split("\n")[0])
        return json.loads(line)["samples_ms"]

    def cpu_seconds(self):
        """Of the program, by the number that Linux gives the clock of another process."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def block(self):
        return statistics.median(self.samples())

    def samples(self):
        return self.step(self.runs)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class SideBySide:
    """Sessions of one runtime that run at the same time."""

    def __init__(self, sessions):
        self.sessions = sessions

    def cpu_seconds(self):
        # Those in this process share its clock.
        own = self.sessions[:1] if isinstance(self.sessions[0], InProcess) else self.sessions
        return sum(session.cpu_seconds() for session in own)

    def block(self):
        return statistics.median(self.samples())

    def samples(self):
        with ThreadPoolExecutor(len(self.sessions)) as threads:
            return sum(threads.map(lambda session: session.samples(), self.sessions), [])

    def close(self):
        for session in self.sessions:
            session.close()


PEERS = {"onnxruntime": OnnxRuntime, "openvino": OpenVino, "openvino-auto": OpenVinoAuto}


def start_peer(peer, model, folder, threads, options):
    if os.sep in peer:
        return Ortool(peer, model, folder, threads, options)
    return PEERS[peer](model, folder, threads)


def side_by_side(sessions, start, *arguments):
    """What `start` starts, or as many sessions of it."""
    return start(*arguments) if sessions == 1 else SideBySide([start(*arguments) for _ in range(sessions)])


def version_of(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


def ratio_with_interval(peer, own, seed):
    """The ratio of blocks from the same rounds."""
    ratios = [a / b for a, b in zip(peer, own)]
    source = random.Random(seed)
    found = sorted(statistics.median(source.choices(ratios, k=len(ratios))) for _ in range(1000))
    return statistics.median(ratios), found[25], found[974]


def time_block(runtime, is_cpu):
    """Milliseconds of a run."""
    if not is_cpu:
        return runtime.block()
    begin = runtime.cpu_seconds()
    count = len(runtime.samples())
    return 1e3 * (runtime.cpu_seconds() - begin) / count


class TooShort(Exception):
    """Every runtime takes less than --least-ms."""


def measure(arguments, model, folder, threads, peers, options, order):
    """Milliseconds of every block by (runtime, threads); failing runtimes with their reason."""
    is_cpu = arguments.clock == "cpu"
    runtimes = {}
    failures = {}
    try:
        for count in threads:
            runtimes["ortool", count] = side_by_side(arguments.sessions, Ortool, arguments.program, model, folder, count, options)
            for peer in peers:
                try:
                    runtimes[peer, count] = side_by_side(arguments.sessions, start_peer, peer, model, folder, count, options)
                except Exception as error:  # a peer that cannot run a model is reported, and the others continue
                    failures[peer] = str(error).split("\n")[0][:60]
            if count == threads[0] and max(
                    time_block(runtime, is_cpu) for runtime in runtimes.values()) < arguments.least_ms:
                raise TooShort
        samples = {key: [] for key in runtimes}
        for _ in range(arguments.rounds):
            keys = list(runtimes)
            order.shuffle(keys)
            for key in keys:
                samples[key].append(time_block(runtimes[key], is_cpu))
        return samples, failures
    finally:
        for runtime in runtimes.values():
            runtime.close()


def print_row(cells, is_markdown):
    if is_markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
    else:
        print(f"{cells[0]:40} " + "  ".join(f"{cell:>22}" for cell in cells[1:]), flush=True)


def main():
    words, options = sys.argv[1:], []
    if "--" in words:
        words, options = words[:words.index("--")], words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", default="")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--least-ms", type=float, default=0)
    parser.add_argument("--floor", type=float, default=0)
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--sets", default="0")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    arguments = parser.parse_args(words)
    only = set(filter(None, arguments.only.split(",")))
    threads = [int(count) for count in arguments.threads.split(",")]
    peers = list(filter(None, arguments.peers.split(",")))
    versions = {"onnxruntime": onnxruntime.__version__}
    try:
        import openvino
        versions["openvino"] = openvino.__version__
    except ImportError:
        if any(peer.startswith("openvino") for peer in peers):
            raise SystemExit("openvino is not installed")
    peers = peers or list(versions)
    if "openvino" in versions:
        versions["openvino-auto"] = versions["openvino"]
    versions.update({peer: version_of(peer) for peer in peers if os.sep in peer})
    order = random.Random(arguments.seed)
    print(", ".join(f"{peer} {versions[peer]}" for peer in peers)
          + f", seed {arguments.seed}, {arguments.rounds} rounds, {arguments.clock} clock; medians in ms, ratios with 95 % intervals\n")
    heads = ["model"]
    for count in threads:
        heads.append(f"ortool {count}")
        for peer in peers:
            heads += [f"{peer} {count}", "ratio"]
    print_row(heads, arguments.markdown)
    if arguments.markdown:
        print("|" + "---|" * len(heads))
    ratios = {(peer, count): [] for peer in peers for count in threads}
    is_good, slow = True, []
    numbers = arguments.sets.split(",")
    listed = [(name, number) for name in sorted(os.listdir(arguments.models)) for number in numbers if not only or name in only]
    for name, number in listed:
        model = os.path.join(arguments.models, name, "model.onnx")
        folder = os.path.join(arguments.models, name, f"test_data_set_{number}")
        if not os.path.isdir(folder):
            continue
        name += f" #{number}" if number != "0" else ""
        try:
            samples, failures = measure(arguments, model, folder, threads, peers, options, order)
        except TooShort:
            continue
        except Exception as error:  # one failing model must not end the comparison
            print_row([name, str(error)], arguments.markdown)
            is_good = False
            continue
        cells = [name]
        for count in threads:
            cells.append(f"{statistics.median(samples['ortool', count]):.3f}")
            for peer in peers:
                if (peer, count) not in samples:
                    cells += [failures[peer], "-"]
                    continue
                ratio, low, high = ratio_with_interval(samples[peer, count], samples["ortool", count], arguments.seed)
                ratios[peer, count].append(ratio)
                if ratio < arguments.floor:
                    slow.append(f"{name}: {ratio:.2f} of {peer}, {count} thread(s)")
                cells += [f"{statistics.median(samples[peer, count]):.3f}", f"{ratio:.2f} ({low:.2f} to {high:.2f})"]
        print_row(cells, arguments.markdown)
    print()
    for (peer, count), values in ratios.items():
        print(f"{peer}, {count} thread(s): geometric mean {geometric_mean(values):.2f}, "
              f"lowest {min(values, default=float('nan')):.2f}, {len(values)} models")
    for line in slow:
        print(f"below {arguments.floor}: {line}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
