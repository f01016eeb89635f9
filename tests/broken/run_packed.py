#!/usr/bin/env python3
# Packed model files damaged in every way: no result changes, and no file is refused that a reader of ONNX would take.
"""Usage: run_packed.py PROGRAM TESTDATA_BROKEN [--count N] [--seed N]

Writes a model with `optimize --packed` and damages the packed part as run_caches.py damages caches. Where the file is
no longer a protobuf message, an error is expected; otherwise the outputs of the plain model. Also kills writers, and
changes plain weights, which then are the ones that count.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from run_caches import Check, damage, network, read, write

TRAILER_BYTES = 144


def model_bytes(content):
    """How many bytes of a packed file are those of the model."""
    trailer = content[-TRAILER_BYTES:]
    assert trailer[:8] == b"ortpack1", trailer[:8]
    return struct.unpack_from("<Q", trailer, 16)[0]


def is_message(content):
    """Whether the fields of the outermost message fill the file."""
    at = 0
    while at < len(content):
        numbers = []
        for _ in range(2):
            value = shift = 0
            while True:
                if at >= len(content) or shift > 63:
                    return False
                byte = content[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            numbers.append(value)
            if numbers[0] & 7 not in (0, 2):
                break
        if numbers[0] >> 3 == 0:
            return False
        kind = numbers[0] & 7
        if kind not in (0, 1, 2, 5):
            return False
        at += {0: 0, 1: 8, 5: 4}.get(kind, numbers[-1])
    return at == len(content)


class PackedCheck(Check):
    def pack(self, name, packed):
        words = [self.program, "optimize", os.path.join(self.folder, name), "-o", os.path.join(self.folder, packed),
                 "--level", "none", "--verify", "0", "--packed", "--force", "--quiet"]
        return subprocess.run(words, capture_output=True, timeout=60, check=True)

    def run_damaged_files(self, count, source):
        _, expected = self.run("a.onnx")
        self.pack("a.onnx", "packed.onnx")
        self.pack("b.onnx", "other.onnx")
        whole, other = (read(os.path.join(self.folder, name)) for name in ("packed.onnx", "other.onnx"))
        start = model_bytes(whole)
        report, outputs = self.run("packed.onnx")
        if outputs != expected or not report["packed"]["used"]:
            self.fail(f"the packed file is not used: {report and report['packed']}")
        found = {"unused": 0, "used": 0, "error": 0, "absent": 0}
        for number in range(count):
            changed, what = damage(whole[start:], other[start:], source)
            content = whole[:start] + changed
            what = f"damage {number}: {what}"
            write(os.path.join(self.folder, "packed.onnx"), content)
            report, outputs = self.run("packed.onnx")
            if report is None:
                found["error"] += 1
                if is_message(content) or "error: " not in outputs:
                    self.fail(f"{what}: {outputs}")
                continue
            state = "absent" if "packed" not in report else "used" if report["packed"]["used"] else "unused"
            found[state] += 1
            if outputs != expected:
                self.fail(f"{what}: another result, packed weights {state}")
            if state == "used" and content != whole and changed[changed.find(b"ortpack1"):] == b"":
                self.fail(f"{what}: packed weights without an end are believed")
        print(f"{count} damaged files: {found}")
        if not found["unused"] or not found["error"]:
            self.fail("some kind of damage never happened")

    def run_changed_weights(self, source):
        """Plain weights that another program changes, with and without another time."""
        self.pack("a.onnx", "packed.onnx")
        whole = read(os.path.join(self.folder, "packed.onnx"))
        start = model_bytes(whole)
        for _ in range(10):
            at = source.randrange(start // 3, start // 2)  # inside of large weights
            changed = bytearray(whole)
            changed[at] ^= 1
            write(os.path.join(self.folder, "changed.onnx"), bytes(changed[:start]))
            write(os.path.join(self.folder, "packed.onnx"), bytes(changed))
            _, expected = self.run("changed.onnx")
            report, outputs = self.run("packed.onnx")
            if report is None or outputs != expected or report["packed"]["used"]:
                self.fail(f"weights changed at {at}: {report and report['packed']}")

    def run_killed_writers(self, source):
        target = os.path.join(self.folder, "killed.onnx")
        self.pack("a.onnx", "killed.onnx")
        before = read(target)
        words = [self.program, "optimize", os.path.join(self.folder, "a.onnx"), "-o", target, "--level", "none",
                 "--verify", "0", "--packed", "--force"]
        for _ in range(10):
            writer = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(source.uniform(0, 0.06))
            writer.kill()
            writer.wait()
            content = read(target)
            # Only the time in the trailer differs.
            if content[:-TRAILER_BYTES] != before[:-TRAILER_BYTES]:
                self.fail("a killed writer left a file in parts")


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
        check = PackedCheck(os.path.abspath(given.program), folder)
        check.run_damaged_files(given.count, source)
        check.run_changed_weights(source)
        check.run_killed_writers(source)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
