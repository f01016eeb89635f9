#!/usr/bin/env python3
# Session caches damaged in every way: no result changes, and the next start has a whole cache again.
"""Usage: run_caches.py PROGRAM TESTDATA_BROKEN [--count N] [--seed N]

Each time, one file of the folder is damaged: bits flipped, ranges overwritten, moved, cut off or added, the file
emptied or exchanged for that of another model. Also kills writers, and lets several write at once.
"""
import argparse
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
from onnx_bytes import graph, int64s, ints, model, node, tensor, value


def numbers(name, shape, seed):
    source = random.Random(seed)
    count = 1
    for size in shape:
        count *= size
    return tensor(name, shape, 1, struct.pack(f"<{count}f", *(source.uniform(-1, 1) for _ in range(count))))


def network(seed):
    """A folded Transpose, packed products and a convolution, and a table that runs read in place."""
    nodes = [node("Transpose", ["w"], ["wt"], [ints("perm", [1, 0])]), node("MatMul", ["x", "wt"], ["a"]),
             node("Relu", ["a"], ["b"]), node("MatMul", ["b", "v"], ["y"]),
             node("Conv", ["image", "k"], ["z"], [ints("pads", [1, 1, 1, 1])]), node("Gather", ["table", "rows"], ["t"])]
    constants = [numbers("w", [96, 64], seed), numbers("v", [96, 72], seed + 1), numbers("k", [32, 16, 3, 3], seed + 2),
                 numbers("table", [70, 91], seed + 3), int64s("rows", [1, 69, 30])]
    inputs = [value("x", (3, 64)), value("image", (1, 16, 5, 5))]
    outputs = [value("y", (3, 72)), value("z", (1, 32, 5, 5)), value("t", (3, 91))]
    return model(graph(nodes, inputs, outputs, constants))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def damage(content, other, source):
    """The content in another form, and what was done."""
    kinds = ["bit", "byte", "zeros", "noise", "cut", "tail", "longer", "moved", "empty", "other", "mixed"]
    kind = source.choice(kinds)
    data = bytearray(content)
    at = source.randrange(len(data))
    size = source.randrange(1, min(len(data) - at, 5000) + 1)
    if kind == "bit":
        data[at] ^= 1 << source.randrange(8)
    elif kind == "byte":
        data[at] = (data[at] + source.randrange(1, 256)) % 256
    elif kind == "zeros":
        data[at:at + size] = bytes(size)
    elif kind == "noise":
        data[at:at + size] = source.randbytes(size)
    elif kind == "cut":
        del data[at:]
    elif kind == "tail":
        del data[:at]
    elif kind == "longer":
        data[at:at] = source.randbytes(size)
    elif kind == "moved":
        data[at:at + size] = data[:size]
    elif kind == "empty":
        data = bytearray()
    elif kind == "other":
        data = bytearray(other)
    else:
        data = bytearray(other[:at] + content[at:])
    return bytes(data), f"{kind} at {at}, {size} bytes"


class Check:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.cache = os.path.join(folder, "cache")
        self.failures = 0

    def command(self, name, cache=None):
        words = [self.program, "run", os.path.join(self.folder, name), "--random", "--seed", "7", "--threads", "2",
                 "--json", "--output-dir", os.path.join(self.folder, "out")]
        return words + (["--cache-dir", cache] if cache else [])

    def run(self, name, cache=None):
        """The report, and the bytes of all outputs."""
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        done = subprocess.run(self.command(name, cache), capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            return None, f"exit {done.returncode}: {done.stderr.decode()}"
        return json.loads(done.stdout), [read(os.path.join(out, each)) for each in sorted(os.listdir(out))]

    def fail(self, text):
        self.failures += 1
        print("FAILED:", text)

    def cache_files(self):
        return sorted(each for each in os.listdir(self.cache) if not each.startswith("."))

    def run_damaged(self, count, source):
        report, expected = self.run("a.onnx")
        assert report is not None and len(expected) == 3, expected
        time.sleep(3.2)  # until the digests of the models are kept too
        for name in ("a.onnx", "b.onnx"):
            self.run(name, self.cache)
        whole = {each: read(os.path.join(self.cache, each)) for each in self.cache_files()}
        path = os.path.basename(self.run("a.onnx", self.cache)[0]["cache"]["path"])
        others = [each for each in whole if each.endswith(".ortcache") and each != path]
        digests = [each for each in whole if each.endswith(".sha256")]
        if len(others) != 1 or len(digests) != 2:
            self.fail(f"two caches and two digests are expected, found {sorted(whole)}")
            return
        found = {"content": 0, "form": 0, "nothing": 0}
        for number in range(count):
            for each, content in whole.items():
                write(os.path.join(self.cache, each), content)
            target = path if number % 8 else source.choice(digests)
            changed, what = damage(whole[target], whole[others[0]] if target == path else whole[digests[0]], source)
            what = f"damage {number} of {target}: {what}"
            write(os.path.join(self.cache, target), changed)
            report, outputs = self.run("a.onnx", self.cache)
            if report is None or outputs != expected:
                self.fail(f"{what}: {outputs if report is None else 'another result'}")
                continue
            if target == path:
                reason = report["cache"]["reason"] or ""
                found["content" if "content" in reason else "form" if reason else "nothing"] += 1
                if (report["cache"]["hit"] is False) != bool(reason):
                    self.fail(f"{what}: {report['cache']}")
            report, outputs = self.run("a.onnx", self.cache)
            if report is None or outputs != expected or not report["cache"]["hit"]:
                self.fail(f"{what}: not whole again: {report and report['cache']}")
        print(f"{count} damaged files: {found}")
        if not found["content"] or not found["form"]:
            self.fail("some kind of damage never happened")

    def run_writers(self, source):
        """Writers that are killed at any time, and several at once."""
        _, expected = self.run("a.onnx")
        for _ in range(20):
            shutil.rmtree(self.cache, ignore_errors=True)
            running = [subprocess.Popen(self.command("a.onnx", self.cache), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL) for _ in range(3)]
            time.sleep(source.uniform(0, 0.05))
            running[0].kill()
            for each in running:
                each.wait()
            report, outputs = self.run("a.onnx", self.cache)
            if report is None or outputs != expected or not report["cache"]["hit"]:
                self.fail(f"after three writers, one killed: {report and report['cache']}")

    def run_limited(self):
        """Processes that write caches of several models into a folder for one and a half of them."""
        _, expected = self.run("a.onnx")
        self.run("a.onnx", self.cache)
        limit = max(os.path.getsize(os.path.join(self.cache, each)) for each in self.cache_files()) * 3 // 2
        for _ in range(10):
            running = []
            for name in ("a.onnx", "b.onnx", "a.onnx"):
                words = self.command(name, self.cache)[:-4] + ["--cache-dir", self.cache, "--cache-limit", str(limit)]
                running.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
            for each in running:
                text = each.communicate()[1]
                if each.returncode != 0:
                    self.fail(f"with --cache-limit: exit {each.returncode}: {text.decode()}")
            sizes = [os.path.getsize(os.path.join(self.cache, each)) for each in self.cache_files()
                     if each.endswith(".ortcache")]
            if sum(sizes) > limit:
                self.fail(f"--cache-limit {limit}, but {sizes} are left")
        report, outputs = self.run("a.onnx", self.cache)
        if report is None or outputs != expected:
            self.fail("another result after --cache-limit")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("testdata")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("seed", given.seed)
    source = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        write(os.path.join(folder, "a.onnx"), network(1))
        write(os.path.join(folder, "b.onnx"), network(2))
        check = Check(os.path.abspath(given.program), folder)
        check.run_damaged(given.count, source)
        check.run_writers(source)
        check.run_limited()
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
