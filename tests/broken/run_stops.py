#!/usr/bin/env python3
# Signals and time limits during long operations: the program exits in time, by the normal path, and leaves no files.
"""Usage: run_stops.py PROGRAM TESTDATA_BROKEN [--only TEXT] [--seed N]

Every case is a model that spends nearly all of its time in one place: a kernel with much data that is hard to split, or
an endless loop. It runs repeatedly until it is stopped at a random time. The normal exit path prints another message
than the signal handler that ends an unresponsive process. Several cases run at once.
"""
import concurrent.futures
import functools
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from lateness import Lateness
from onnx_bytes import block, graph, integer, ints, model, node, number, tensor, value
from run_parts import BOOL, DOUBLE, FLOAT, INT32, INT64, STRING, body, counted, filled, text, whole

PROGRAM = os.path.abspath(sys.argv[1])
MILLION = 1_000_000
MOST_SECONDS = 1.5  # a second, plus the delay by concurrent cases; the delay by other processes is measured
MOST_TRIES = 4
CASES = []


def case(name, nodes, made=(), constants=(), output="y", opset=20, rank=1, element=FLOAT, more_opsets=b""):
    """`made`: pairs from filled() and counted()."""
    all_constants = list(constants)
    all_nodes = []
    for builder, belonging in made:
        all_nodes.append(builder)
        all_constants += belonging if isinstance(belonging, list) else [belonging]
    declared = block(1, output) + block(2, block(1, integer(1, element)))
    # The graph has only a small output, so that little is printed or kept.
    all_nodes += list(nodes) + [node("Shape", [output], ["shape_of_y"])]
    CASES.append((name, model(graph(all_nodes, [], [value("shape_of_y", (f"n{rank}",), INT64)], all_constants),
                              opset=opset, more=more_opsets)))


def one(name, kind, made, attributes=(), constants=(), inputs=("x",), element=FLOAT, **more):
    case(name, [node(kind, list(inputs), ["y"], attributes, kind)], made, constants, element=element, **more)


def add_kernels():
    row = filled("x", [30 * MILLION])
    one("CumSum of one line", "CumSum", [row], [], [whole("axis", [0], [])], ("x", "axis"))
    one("ReduceSum of all", "ReduceSum", [row])
    one("ReduceL2 of all", "ReduceL2", [row])
    one("ReduceProd of all in float64", "ReduceProd", [filled("x", [30 * MILLION], DOUBLE, struct.pack("<d", 1))])
    one("ReduceLogSumExp of all", "ReduceLogSumExp", [row])
    one("ArgMax of one line", "ArgMax", [row], [number("axis", 0)])
    one("Softmax of one row", "Softmax", [row], [number("axis", 0)])
    one("LogSoftmax of one row", "LogSoftmax", [row], [number("axis", 0)])
    one("Hardmax of one row", "Hardmax", [row], [number("axis", 0)])
    one("LayerNormalization of one row", "LayerNormalization", [row, filled("w", [30 * MILLION])],
        [], [], ("x", "w"))
    one("LpNormalization of one row", "LpNormalization", [row], [number("axis", 0)])
    one("InstanceNormalization of one channel", "InstanceNormalization", [filled("x", [1, 1, 30 * MILLION])], [],
        [tensor("w", [1], raw=bytes(4)), tensor("b", [1], raw=bytes(4))], ("x", "w", "b"))
    one("GroupNormalization of one group", "GroupNormalization", [filled("x", [1, 2, 20 * MILLION])],
        [number("num_groups", 1)], [tensor("w", [2], raw=bytes(8)), tensor("b", [2], raw=bytes(8))], ("x", "w", "b"),
        opset=21)
    one("MeanVarianceNormalization of all", "MeanVarianceNormalization", [filled("x", [1, 1, 5000, 5000])])
    case("TopK of one line", [node("TopK", ["x", "k"], ["y", "places"])], [row], [whole("k", [3 * MILLION])])
    one("MatMul", "MatMul", [filled("x", [4000, 4000]), filled("w", [4000, 4000])], [], [], ("x", "w"))
    one("MatMul of a long row", "MatMul", [filled("x", [1, 30 * MILLION]), filled("w", [30 * MILLION, 1])], [], [],
        ("x", "w"))
    one("MatMul in float64", "MatMul", [filled("x", [2000, 2000], DOUBLE, bytes(8)), filled("w", [2000, 2000], DOUBLE, bytes(8))],
        [], [], ("x", "w"))
    one("MatMul in int64", "MatMul", [filled("x", [1, 30 * MILLION], INT64, bytes(8)), filled("w", [30 * MILLION, 1], INT64, bytes(8))],
        [], [], ("x", "w"))
    one("MatMulInteger", "MatMulInteger", [filled("x", [4000, 4000], 2, b"\x01"), filled("w", [4000, 4000], 2, b"\x01")],
        [], [], ("x", "w"), element=INT32)
    one("Gemm", "Gemm", [filled("x", [4000, 4000]), filled("w", [4000, 4000])], [number("transA", 1)], [], ("x", "w"))
    one("Conv", "Conv", [filled("x", [1, 64, 1000, 1000]), filled("w", [64, 64, 3, 3])], [], [], ("x", "w"))
    one("Conv of large windows", "Conv", [filled("x", [1, 10, 330, 330]), filled("w", [256, 10, 316, 316])], [], [],
        ("x", "w"))
    one("Conv by groups", "Conv", [filled("x", [1, 64, 1000, 1000]), filled("w", [64, 1, 31, 31])],
        [number("group", 64)], [], ("x", "w"))
    one("ConvTranspose", "ConvTranspose", [filled("x", [1, 32, 500, 500]), filled("w", [32, 32, 5, 5])], [], [],
        ("x", "w"))
    one("ConvInteger", "ConvInteger", [filled("x", [1, 64, 500, 500], 2, b"\x01"), filled("w", [64, 64, 3, 3], 2, b"\x01")],
        [], [], ("x", "w"), element=INT32)
    one("MaxPool of one window", "MaxPool", [filled("x", [1, 1, 5000, 5000])], [ints("kernel_shape", [4999, 4999])])
    one("AveragePool of large windows", "AveragePool", [filled("x", [1, 1, 3000, 3000])], [ints("kernel_shape", [500, 500])])
    one("GlobalAveragePool of one channel", "GlobalAveragePool", [filled("x", [1, 1, 5000, 5000])])
    one("Einsum of a product", "Einsum", [filled("x", [1500, 1500]), filled("w", [1500, 1500])],
        [text("equation", "ij,jk->ik")], [], ("x", "w"))
    one("Einsum of three", "Einsum", [filled("x", [300, 300]), filled("w", [300, 300]), filled("v", [300, 300])],
        [text("equation", "ij,jk,kl->il")], [], ("x", "w", "v"))
    one("Einsum of a sum", "Einsum", [filled("x", [5000, 5000])], [text("equation", "ij->")])
    one("Gather of many rows", "Gather", [filled("x", [10]), filled("i", [20 * MILLION], INT64, bytes(8))], [], [],
        ("x", "i"))
    one("GatherElements", "GatherElements", [filled("x", [20 * MILLION]), filled("i", [20 * MILLION], INT64, bytes(8))], [],
        [], ("x", "i"))
    one("GatherND", "GatherND", [filled("x", [10]), filled("i", [20 * MILLION, 1], INT64, bytes(8))], [], [], ("x", "i"))
    one("ScatterElements", "ScatterElements",
        [filled("x", [10]), filled("i", [20 * MILLION], INT64, bytes(8)), filled("u", [20 * MILLION])],
        [text("reduction", "add")], [], ("x", "i", "u"))
    one("ScatterND", "ScatterND",
        [filled("x", [10]), filled("i", [20 * MILLION, 1], INT64, bytes(8)), filled("u", [20 * MILLION])],
        [text("reduction", "add")], [], ("x", "i", "u"))
    one("NonZero", "NonZero", [filled("x", [20 * MILLION])], element=INT64)
    one("Compress", "Compress", [row, filled("c", [30 * MILLION], BOOL, b"\x01")], [], [], ("x", "c"))
    one("Unique", "Unique", [counted("x", 5 * MILLION)], element=INT64)
    one("OneHot", "OneHot", [filled("x", [MILLION], INT64, bytes(8))], [],
        [whole("depth", [50], []), tensor("values", [2], raw=bytes(8))], ("x", "depth", "values"))
    one("Tile", "Tile", [filled("x", [10])], [], [whole("n", [5 * MILLION])], ("x", "n"))
    one("Expand", "Expand", [filled("x", [1])], [], [whole("n", [10_000, 5000])], ("x", "n"))
    one("Transpose", "Transpose", [filled("x", [5000, 5000])], [ints("perm", [1, 0])])
    one("Concat", "Concat", [row], [number("axis", 0)], [], ("x", "x"))
    one("Pad by reflection", "Pad", [filled("x", [5000, 5000])], [text("mode", "reflect")],
        [whole("p", [100, 100, 100, 100])], ("x", "p"))
    one("Resize with cubes", "Resize", [filled("x", [1, 1, 1000, 1000])], [text("mode", "cubic")],
        [whole("size", [1, 1, 5000, 5000])], ("x", "", "", "size"))
    one("Resize by nearest", "Resize", [filled("x", [1, 1, 1000, 1000])], [text("mode", "nearest")],
        [whole("size", [1, 1, 5000, 5000])], ("x", "", "", "size"))
    one("Resize of one line", "Resize", [filled("x", [1, 1, 1000])], [text("mode", "linear")],
        [whole("size", [1, 1, 30 * MILLION])], ("x", "", "size")[:2] + ("", "size"))
    one("GridSample", "GridSample", [filled("x", [1, 8, 1000, 1000]), filled("g", [1, 3000, 3000, 2])], [], [], ("x", "g"))
    one("DFT of a prime length", "DFT", [filled("x", [1, 4_000_037, 1])], [], [], ("x",))
    one("DFT of a power of two", "DFT", [filled("x", [1, 1 << 24, 1])], [], [], ("x",))
    one("STFT", "STFT", [filled("x", [1, 10 * MILLION, 1])], [],
        [whole("step", [10], []), whole("length", [1024], [])], ("x", "step", "", "length"))
    one("Det", "Det", [filled("x", [3000, 3000])])
    one("LSTM", "LSTM", [filled("x", [1000, 1, 256]), filled("w", [1, 2048, 256]), filled("r", [1, 2048, 512])],
        [number("hidden_size", 512)], [], ("x", "w", "r"), element=FLOAT)
    one("Trilu", "Trilu", [filled("x", [5000, 5000])])
    one("EyeLike", "EyeLike", [filled("x", [5000, 5000])])
    one("RandomNormalLike", "RandomNormalLike", [filled("x", [20 * MILLION])])
    one("Bernoulli", "Bernoulli", [filled("x", [20 * MILLION])])
    one("Cast to text", "Cast", [filled("x", [5 * MILLION])], [number("to", STRING)], element=STRING)
    one("Cast to float16", "Cast", [row], [number("to", 10)], element=10)
    one("Erf", "Erf", [row])
    one("Pow", "Pow", [row, filled("p", [1])], [], [], ("x", "p"))
    one("Div of integers", "Div", [filled("x", [20 * MILLION], INT64, bytes([7] * 8)), filled("d", [1], INT64, bytes([3] + [0] * 7))],
        [], [], ("x", "d"), element=INT64)
    one("QuantizeLinear", "QuantizeLinear", [row], [], [tensor("s", [], raw=struct.pack("<f", 1))], ("x", "s"), element=2)
    case("DynamicQuantizeLinear", [node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])], [row], element=2)
    one("NonMaxSuppression", "NonMaxSuppression",
        [filled("x", [1, 30_000, 4]), filled("s", [1, 1, 30_000])], [],
        [whole("n", [30_000], []), tensor("t", [], raw=struct.pack("<f", 1))], ("x", "s", "n", "t"), element=INT64)
    one("ReverseSequence", "ReverseSequence", [filled("x", [5000, 5000]), filled("n", [5000], INT64, bytes([9] + [0] * 7))],
        [number("batch_axis", 0), number("time_axis", 1)], [], ("x", "n"))
    one("SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLoss",
        [filled("x", [1, 20 * MILLION]), filled("l", [1], INT64, bytes(8))], [], [], ("x", "l"))
    one("LRN", "LRN", [filled("x", [1, 64, 1000, 1000])], [number("size", 63)])
    one("Col2Im", "Col2Im", [filled("x", [1, 25, 996 * 996])], [],
        [whole("image", [1000, 1000]), whole("block", [5, 5])], ("x", "image", "block"))
    one("Attention", "Attention", [filled("q", [1, 8, 4000, 64]), filled("k", [1, 8, 4000, 64]), filled("v", [1, 8, 4000, 64])],
        [], [], ("q", "k", "v"), opset=23)


def add_flows():
    # Long-running loops and scans: small bodies, nested loops, a heavy kernel, many slices.
    step = [value("i", (), INT64), value("c", (), BOOL), value("s")]
    more = body([node("Identity", ["c"], ["c2"]), node("Relu", ["s"], ["s2"])], step,
                [value("c2", (), BOOL), value("s2")])
    endless = [tensor("go", [], BOOL, b"\x01"), tensor("s0", [2], raw=bytes(8))]
    case("Loop without end", [node("Loop", ["", "go", "s0"], ["y"], [more])], [], endless)
    inner = body([node("Identity", ["c"], ["c2"]), node("Loop", ["", "c", "s"], ["s2"], [body(
        [node("Identity", ["k"], ["k2"]), node("Relu", ["t"], ["t2"])],
        [value("j", (), INT64), value("k", (), BOOL), value("t")], [value("k2", (), BOOL), value("t2")])])], step,
        [value("c2", (), BOOL), value("s2")])
    case("Loop in a loop", [node("Loop", ["", "go", "s0"], ["y"], [inner])], [], endless)
    heavy = body([node("Identity", ["c"], ["c2"]), node("MatMul", ["m", "m"], ["p"]), node("Identity", ["s"], ["s2"])], step,
                 [value("c2", (), BOOL), value("s2")])
    case("Loop of products", [node("Loop", ["", "go", "s0"], ["y"], [heavy])], [filled("m", [1000, 1000])], endless)
    scan = body([node("Add", ["s", "x1"], ["s2"]), node("Identity", ["s2"], ["z"])], [value("s"), value("x1")],
                [value("s2"), value("z")])
    case("Scan of many slices", [node("Scan", ["s0", "x"], ["y", "all"], [scan, number("num_scan_inputs", 1)])],
         [filled("x", [5 * MILLION, 2])], endless[1:])


def run(path, options, act, folder):
    """Exit code, seconds from the action of `act` to the end minus the machine's lateness, and the error output."""
    process = subprocess.Popen([PROGRAM, "run", path, "-q", "--iterations", "1000000000", *options],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder)
    begin = act(process)
    with Lateness() as late:
        _, error = process.communicate()
    seconds = time.monotonic() - begin - late.seconds
    return process.returncode, seconds, error.decode(errors="replace").strip()


def interrupt_after(seconds, which):
    def act(process):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(which)
        return time.monotonic()
    return act


def begin_now(_):
    return time.monotonic()


def attempt(path, numbers, folder, by_time_limit):
    """Stops a run once; returns what was wrong, and whether it ended by the normal path."""
    wait = numbers.uniform(0.5, 1.5)
    if by_time_limit:
        code, words, how = 124, "the time limit was reached", f"--timeout {wait:.2f}"
        found, seconds, error = run(path, ["--output-dir", "out", "--timeout", f"{wait:.2f}"], begin_now, folder)
        seconds -= wait
    else:
        which, code, words = numbers.choice([(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated by")])
        how = f"{which.name} after {wait:.2f} s"
        found, seconds, error = run(path, ["--output-dir", "out"], interrupt_after(wait, which), folder)
    wrong = ""
    if found != code or seconds > MOST_SECONDS:
        wrong = f"{how}: ended with {found} (expected {code}) after {seconds:.2f} s: {error[:300]}"
    return wrong, words in error, f"{how}: {seconds:.2f} s", found


def try_case(name, content, numbers, folder):
    """On a busy machine the normal path may be missed, but not every time."""
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(content)
    before = sorted(os.listdir(folder))
    for by_time_limit in (False, True):
        is_ordinary, tries = False, []
        while not is_ordinary and len(tries) < MOST_TRIES:
            wrong, is_ordinary, summary, found = attempt(path, numbers, folder, by_time_limit)
            tries.append(summary)
            if found == 5:
                return f"SKIPPED: {name}, which is not supported"
            if wrong:
                return f"{name}: {wrong}"
            if sorted(os.listdir(folder)) != before:
                return f"{name}: left {sorted(os.listdir(folder))}"
        print(f"{name}: {', '.join(tries)}\n", end="", flush=True)
        if not is_ordinary:
            return f"{name}: ended by force in all of {MOST_TRIES} tries"
    return ""


def try_inflating(numbers, folder):
    """A signal while an input is inflated: the program ends in time by either path, without leaving files."""
    count = 30 * MILLION
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (64 - (10 + len(header) + 1) % 64) + "\n"
    with zipfile.ZipFile(os.path.join(folder, "x.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("x.npy", "w", force_zip64=True) as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            for _ in range(count // MILLION):
                file.write(bytes(4 * MILLION))
    path = os.path.join(folder, "model.onnx")
    with open(path, "wb") as file:
        file.write(model(graph([node("Relu", ["x"], ["y"])], [value("x", ("n",))], [value("y", ("n",))])))
    before = sorted(os.listdir(folder))
    for wait in (0.1, numbers.uniform(0.1, 0.5)):
        found, seconds, error = run(path, ["--inputs", "x.npz", "--output-dir", "out"],
                                    interrupt_after(wait, signal.SIGTERM), folder)
        print(f"inflating: {seconds:.2f} s after the signal\n", end="")
        if found not in (143, -signal.SIGTERM) or seconds > MOST_SECONDS or sorted(os.listdir(folder)) != before:
            return f"inflating: ended with {found} after {seconds:.2f} s, leaving {os.listdir(folder)}: {error[:300]}"
    return ""


def try_alone(name, attempt_all, seed):
    """In a separate folder, with random numbers that depend only on the seed and the name."""
    with tempfile.TemporaryDirectory() as folder:
        said = attempt_all(random.Random(f"{seed} {name}"), folder)
    if said:
        print(said + "\n", end="", flush=True)
    return bool(said) and not said.startswith("SKIPPED")


def main():
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    seed = int(options.get("--seed", time.time_ns() % MILLION))
    print(f"seed {seed}")
    add_kernels()
    add_flows()
    tries = [(name, functools.partial(try_case, name, content)) for name, content in CASES]
    tries.append(("inflating", try_inflating))
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count())) as pool:
        failures = sum(pool.map(lambda each: try_alone(*each, seed),
                                [each for each in tries if options.get("--only", "") in each[0]]))
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
