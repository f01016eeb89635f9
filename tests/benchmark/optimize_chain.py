#!/usr/bin/env python3
# Measures the time of optimize on chains of nodes: it may not grow faster than the chain.
"""Usage: optimize_chain.py PROGRAM   (exit 1: too slow, or growing faster than the chain)

Writes chains of 10,000, 30,000 and 100,000 nodes in ONNX's file format and optimizes them, three times each, and
takes the best CPU time. `relu` has nothing to rewrite. In `mixed` every ten nodes are a Relu, an Identity, two
Transposes that cancel, a Gelu of five nodes and a Neg. The time per node may double, because long chains do not fit in
the caches; 100,000 nodes may take ten seconds.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

from wire import field

LENGTHS = (10_000, 30_000, 100_000)
MOST_SECONDS = 10.0
MOST_GROWTH = 2.0
ROUNDS = 3


def value_info(name):
    tensor = field(1, 1) + field(2, field(1, field(2, "batch")) + field(1, field(1, 16)))
    return field(1, name) + field(2, field(1, tensor))


def number(name, value):
    return field(5, field(2, 1) + field(8, name) + field(9, struct.pack("<f", value)))


class Chain:
    def __init__(self):
        self.count = 0
        self.nodes = bytearray()

    def last(self):
        return f"v{self.count}"

    def add(self, op_type, *inputs, attributes=b""):
        made = f"v{self.count + 1}"
        self.nodes += field(1, b"".join(field(1, name) for name in inputs or (self.last(),)) + field(2, made)
                            + field(4, op_type) + attributes)
        self.count += 1
        return made


def relu_chain(chain):
    chain.add("Relu")


def mixed_chain(chain):
    transposed = field(5, field(1, "perm") + field(8, 1) + field(8, 0) + field(20, 7))
    chain.add("Relu")
    chain.add("Identity")
    chain.add("Transpose", attributes=transposed)
    x = chain.add("Transpose", attributes=transposed)
    part = chain.add("Div", x, "root")
    part = chain.add("Erf", part)
    part = chain.add("Add", part, "one")
    part = chain.add("Mul", x, part)
    chain.add("Mul", part, "half")
    chain.add("Neg")


def write_chain(path, make, length):
    chain = Chain()
    while chain.count < length:
        make(chain)
    numbers = number("root", 2 ** 0.5) + number("one", 1) + number("half", 0.5)
    graph = bytes(chain.nodes) + field(2, "chain") + numbers + field(11, value_info("v0")) + field(12, value_info(chain.last()))
    with open(path, "wb") as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 20)))


def measure(program, path, output):
    """CPU seconds, and the number of remaining nodes."""
    process = subprocess.Popen([program, "optimize", path, "-o", output, "--verify", "0", "--json", "-q"],
                               stdout=subprocess.PIPE)
    document = json.load(process.stdout)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{program} optimize {path} failed")
    return usage.ru_utime + usage.ru_stime, document["after"]["node_count"]


def main():
    program, has_failed = sys.argv[1], False
    with tempfile.TemporaryDirectory() as folder:
        path, output = os.path.join(folder, "chain.onnx"), os.path.join(folder, "out.onnx")
        for name, make in (("relu", relu_chain), ("mixed", mixed_chain)):
            by_node = []
            for length in LENGTHS:
                write_chain(path, make, length)
                runs = [measure(program, path, output) for _ in range(ROUNDS)]
                seconds = min(run[0] for run in runs)
                by_node.append(seconds / length)
                print(f"{name} {length}: {seconds:.2f} s, {1e6 * seconds / length:.1f} us a node, {runs[0][1]} left", flush=True)
                has_failed |= seconds > MOST_SECONDS
            has_failed |= by_node[-1] > MOST_GROWTH * by_node[0]
    print("too slow, or growing faster than the chain" if has_failed else "within limits")
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
