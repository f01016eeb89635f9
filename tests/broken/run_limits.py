#!/usr/bin/env python3
# Resource limits: files that expand in memory stay within max(256 MB, 4 x file size) and --timeout.
"""Usage: run_limits.py PROGRAM TESTDATA_BROKEN

Each kind of file is used in its full size, which the loader mostly refuses, and once more in a size that it accepts,
for the output formats; --diff reads two files and may take the memory of both.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from onnx_bytes import block, function, graph, integer, model, node, number, tensor, value

PROGRAM = sys.argv[1]
LEAST_BYTES = 256 << 20
LIMIT_SECONDS = 120  # only detects hanging: the machine may be busy
ACCEPTED = 0.3  # relative to the full sizes
FORMS = [["--json"], ["--format", "html"], ["--nodes"], ["--diff", "OTHER", "--json"]]
X, Y = [value("x")], [value("x")]


def plain(nodes=(), constants=(), more=b"", inputs=X):
    return graph(nodes, inputs, Y, constants, more)


def list_attribute(field, content, kind):
    return [node("R", [], [], [block(1, "p") + content * field + integer(20, kind)])]


def kinds(scale):
    """Name and factory of each kind of file; only the requested one is made."""
    def many(count):
        return int(count * scale)

    def each(count):
        return (f"{i:x}" for i in range(many(count)))

    attributes = [number(f"{i:x}", 1) for i in range(500)]
    texts, numbers = many(3_000_000), many(20_000_000)
    nested = block(2, block(4, block(1, block(1, integer(1, 1)))))
    return [
        ("nodes without anything", lambda: model(plain([node("R", [], [])] * many(900_000)))),
        ("nodes with an output", lambda: model(plain([node("R", [], [name]) for name in each(400_000)]))),
        ("attributes", lambda: model(plain([node("R", [], [], attributes)] * many(2000)))),
        ("initializers", lambda: model(plain(constants=[tensor(name, [], 1, bytes(4)) for name in each(400_000)]))),
        ("inputs of nested types", lambda: model(graph([], [block(1, name) + nested for name in each(400_000)]))),
        ("dimensions", lambda: model(plain(inputs=X + [value(name, [1] * 64) for name in each(10_000)]))),
        ("graphs", lambda: model(plain(list_attribute(many(200_000), block(11, b""), 10)))),
        ("metadata", lambda: model(plain()) + block(14, b"") * many(1_000_000)),
        ("annotations", lambda: model(plain(more=block(14, block(2, b"")) * many(800_000)))),
        ("opset imports", lambda: model(plain()) + b"".join(block(8, block(1, name) + integer(2, 1)) for name in each(200_000))),
        ("functions", lambda: model(plain(), [function(name, ["f"]) for name in each(60_000)])),
        ("calls of functions", lambda: model(plain([node(name, ["x"], [], domain="my") for name in each(20_000)]),
                                             [function(name, []) for name in each(20_000)])),
        ("numbers of an attribute", lambda: model(plain(list_attribute(1, block(8, bytes(many(30_000_000))), 7)))),
        ("texts of an attribute", lambda: model(plain(list_attribute(many(3_000_000), block(9, b""), 8)))),
        ("texts of a tensor", lambda: model(plain(constants=[tensor("s", [texts], 8, None, block(6, b"") * texts)]))),
        ("numbers of a tensor", lambda: model(plain(constants=[tensor("s", [numbers], 7, None, block(7, bytes(numbers)))]))),
    ]


def measure(command):
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    return process.returncode, time.monotonic() - begin, usage.ru_maxrss * 1024, error


def try_file(folder, place, scale):
    """Runs inspect on one file; returns what it did wrong."""
    path = os.path.join(folder, f"{place}-{scale}.onnx")
    # Made in a separate process: a child's peak memory includes what its parent held at the fork.
    made = subprocess.run([sys.executable, __file__, *sys.argv[1:3], "--make", str(place), str(scale), path],
                          check=True, capture_output=True, text=True)
    failures = []
    size = os.path.getsize(path)
    for options in FORMS if scale == ACCEPTED else ([], ["--json"], ["--check"]):
        options = [path if option == "OTHER" else option for option in options]
        kind = f"{made.stdout.strip()} x {scale} {options}"
        most = max(LEAST_BYTES, 4 * size) * (2 if "--diff" in options else 1)
        code, seconds, memory, error = measure([PROGRAM, "inspect", path, *options])
        if code not in (0, 2, 5, 6):
            failures.append(f"{kind}: ended with {code}: {error[:200]}")
        if seconds > LIMIT_SECONDS:
            failures.append(f"{kind}: took {seconds:.0f} s")
        if memory > most:
            failures.append(f"{kind}: took {memory >> 20} MB for a file of {size >> 20} MB")
    os.remove(path)
    return failures


def make(place, scale, path):
    kind, content = kinds(scale)[place]
    with open(path, "wb") as file:
        file.write(content())
    print(kind)


def main():
    if sys.argv[3:4] == ["--make"]:
        make(int(sys.argv[4]), float(sys.argv[5]), sys.argv[6])
        return 0
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cases = [(place, scale) for scale in (1, ACCEPTED) for place in range(len(kinds(scale)))]
            for found in pool.map(lambda case: try_file(folder, *case), cases):
                failures += found
        chain = [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(200_000)]
        with open(path, "wb") as file:
            file.write(model(graph(chain, [value("v0")], [value("v200000")])))
        code, _, _, error = measure([PROGRAM, "inspect", path, "--nodes", "--select", "Relu_7"])
        if code != 0:
            failures.append(f"a chain of 200,000 nodes: ended with {code}: {error[:200]}")
        for options in ([], ["--check"]):
            code, seconds, _, _ = measure([PROGRAM, "inspect", path, "--timeout", "0.3", *options])
            if code != 124 or seconds > 5:
                failures.append(f"--timeout 0.3 {options}: ended with {code} after {seconds:.1f} s")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
