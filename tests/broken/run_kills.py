#!/usr/bin/env python3
# Runs killed at random times while writing: every file is the old one or a complete new one, and nothing else remains.
"""Usage: run_kills.py PROGRAM TESTDATA_BROKEN [--kills N] [--seed N]

SIGKILL may leave temporary files, which are hidden and end in .tmp; other signals may not.
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[2])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from lateness import Lateness
from onnx_bytes import graph, model, node, tensor, value

PROGRAM = os.path.abspath(sys.argv[1])
DIGITS = os.path.join(os.path.dirname(os.path.abspath(sys.argv[2])), "digits")
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 143, signal.SIGKILL: -9}
COUNTS = [300_000, 1_000_000, 3_000_000]
OLD = b"what was there before"


def make_model(path):
    nodes, constants = [], []
    for index, count in enumerate(COUNTS):
        for part, number in (("first", 0), ("end", count), ("step", 1)):
            constants.append(tensor(f"{part}{index}", [], 7, struct.pack("<q", number)))
        nodes.append(node("Range", [f"{part}{index}" for part in ("first", "end", "step")], [f"y{index}"]))
    with open(path, "wb") as file:
        file.write(model(graph(nodes, [], [value(f"y{i}", (f"n{i}",), 7) for i in range(len(COUNTS))], constants)))


def is_whole_array(path):
    """An .npy file of 0, 1, 2 ... with the length in its header."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        return False
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    header = data[10:begin].decode()
    count = int(header.split("'shape': (")[1].split(",")[0])
    return len(data) == begin + 8 * count and struct.unpack("<q", data[-8:])[0] == count - 1


def is_whole(path):
    with open(path, "rb") as file:
        if file.read(len(OLD) + 1) == OLD:
            return True
    if path.endswith(".npy"):
        return is_whole_array(path)
    with open(path, encoding="utf-8") as file:
        try:
            documents = file.read().splitlines() if path.endswith(".jsonl") else [file.read()]
            return all(json.loads(each) is not None for each in documents)
        except ValueError:
            return False


def commands(folder):
    made = os.path.join(folder, "model.onnx")
    out = os.path.join(folder, "out")
    yield [PROGRAM, "run", made, "-q", "--output-dir", out, "--trace", os.path.join(out, "trace.json")]
    yield [PROGRAM, "run", made, "-q", "--output-dir", out, "--dump", "y*", "--optimize", "none"]
    yield [PROGRAM, "run", made, "-q", "--output-dir", out, "--output-format", "json", "--outputs", "y0"]
    yield [PROGRAM, "run", os.path.join(DIGITS, "digits.onnx"), "-q", "--data", os.path.join(DIGITS, "evaluation.npz"),
           "--save-outputs", os.path.join(out, "scores.jsonl")]


def files_below(folder):
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)


def kill_once(command, folder, longest, numbers):
    """What was wrong after killing a run at a random time; its exit code."""
    out = os.path.join(folder, "out")
    os.makedirs(out, exist_ok=True)
    for name in ("output_0.npy", "output_1.npy", "trace.json", "index.json", "scores.jsonl"):
        if numbers.random() < 0.5:
            with open(os.path.join(out, name), "wb") as file:
                file.write(OLD)
    which = numbers.choice(SIGNALS)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(numbers.uniform(0, longest))
    process.send_signal(which)
    begin = time.monotonic()
    with Lateness() as late:
        error = process.communicate()[1].decode(errors="replace").strip()
    seconds = time.monotonic() - begin - late.seconds
    wrong = []
    # Before the program handles signals, the default action applies.
    if process.returncode not in (0, CODES[which], -which):
        wrong.append(f"ended with {process.returncode}: {error[:200]}")
    if seconds > 1 and which != signal.SIGKILL:
        wrong.append(f"ended after {seconds:.2f} s")
    for path in files_below(out):
        name = os.path.basename(path)
        if name.startswith(".") and name.endswith(".tmp") and which == signal.SIGKILL:
            continue
        if not is_whole(path):
            wrong.append(f"{name} is neither the old file nor a whole one")
    shutil.rmtree(out)
    return [f"{' '.join(command[1:])}, {which.name}: {each}" for each in wrong], process.returncode


def main():
    options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    seed = int(options.get("--seed", time.time_ns() % 1_000_000))
    kills = int(options.get("--kills", 200))
    numbers = random.Random(seed)
    failures, stopped = [], 0
    with tempfile.TemporaryDirectory() as folder:
        make_model(os.path.join(folder, "model.onnx"))
        times = []
        for command in commands(folder):
            os.makedirs(os.path.join(folder, "out"), exist_ok=True)
            begin = time.monotonic()
            if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
                failures.append(f"{' '.join(command)}: fails even without being killed")
            times.append((command, time.monotonic() - begin))
            shutil.rmtree(os.path.join(folder, "out"))
        for _ in range(kills):
            command, seconds = numbers.choice(times)
            wrong, code = kill_once(command, folder, seconds, numbers)
            failures += wrong
            stopped += code != 0
    for failure in failures:
        print(failure)
    print(f"seed {seed}: {kills} runs, {stopped} of them ended early, {len(failures)} failures")
    return 1 if failures or stopped < kills // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
