# Shards of whole models: ResNet-8 calibrated in 7 shards, one of which is killed and run again, has the hash of one process.
"""usage: check_shards.py PROGRAM SHARED; exit code 77 without SHARED"""
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
import make_sets  # noqa: E402

_COUNT = 7
_HOST_FIELDS = ("argv", "environment", "timing", "memory")


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def run(*words, expected=0):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == expected, (words, done.returncode, done.stdout, done.stderr)
    return done


def kill_in_between(words, path):
    """Starts a shard and kills it once it has saved something; the file may hold the whole shard if it was fast."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not os.path.exists(path):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


def main():
    program, shared = sys.argv[1:3]
    model = os.path.join(shared, "models", "resnet8-cifar10-fp32", "model.onnx")
    if not os.path.exists(model):
        print(f"shard: SKIPPED: there is no {model}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        inputs = json.loads(run(program, "inspect", model, "--json").stdout)["graph"]["inputs"]
        data = make_sets.make_cifar(shared, folder, inputs[0]["name"])

        def calibration(name, *more):
            return [program, "quantize", model, "--calibrate-only", "--calibration-data", data, "--calibration-cache", path(name),
                    "-q", *more]

        run(*calibration("one"))
        shards = [calibration(f"{i}.part", "--shard", f"{i}/{_COUNT}") for i in range(1, _COUNT + 1)]
        kill_in_between(shards[3], path("4.part"))
        print("shard: killed in between:", "a part was saved" if os.path.exists(path("4.part")) else "nothing was saved")
        parts = [path(f"{i}.part") for i in range(1, _COUNT + 1)]
        # In another order, and the killed one again.
        for i in (7, 4, 1, 6, 2, 5, 3):
            run(*shards[i - 1])
        lost = run(program, "merge", *parts[:2], *parts[3:], "-o", path("no"), expected=2)
        assert lost.stderr.startswith("error: a shard is missing: 3/7\n"), lost.stderr
        run(program, "merge", *parts, "-o", path("merged"))
        assert sha256(path("merged")) == sha256(path("one"))
        print(f"shard: calibration of ResNet-8 in {_COUNT} shards: {sha256(path('merged'))}, as in one process")

        evaluation = [program, "run", model, "--data", data, "--top", "3", "-q"]
        run(*evaluation, "--report", path("one.json"))
        for i in range(1, _COUNT + 1):
            run(*evaluation, "--shard", f"{i}/{_COUNT}", "--part-out", path(f"{i}.eval"))
        run(program, "merge", *(path(f"{i}.eval") for i in range(1, _COUNT + 1)), "-o", path("merged.json"))
        with open(path("one.json"), encoding="utf-8") as one, open(path("merged.json"), encoding="utf-8") as merged:
            whole, joined = json.load(one), json.load(merged)
        different = [key for key in sorted(set(whole) | set(joined))
                     if key not in _HOST_FIELDS and whole.get(key) != joined.get(key)]
        assert not different, different
        print(f"shard: evaluation of ResNet-8 in {_COUNT} shards: {joined['dataset']['value']}, as in one process")
    return 0


if __name__ == "__main__":
    sys.exit(main())
