# Encoder-decoders by run --loop auto on the emulated device: the cpu's tokens, and caches that stay on the device.
"""usage: check_encoder_decoders.py PROGRAM, which is ortool_emulated."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "models"))
import encoder_decoder_files as files  # noqa: E402, pylint: disable=wrong-import-position

# In each later step the tokens go in, and the scores and the device's status come out. The merged decoder is in the
# branches of an If.
_LATER_COPIES = (1, 2)


def run_program(program, folder, kind, provider, steps):
    done = subprocess.run([program, "run", os.path.join(folder, kind), "--loop", "auto", "--json", "--steps", str(steps),
                           "--loop", "end=99", "--input", f"input_ids={folder}/ids.npy", "--input",
                           f"attention_mask={folder}/mask.npy", "--provider", provider],
                          capture_output=True, text=True, check=False, env={**os.environ, "ORTOOL_EMULATION_COUNTS": "1"})
    document = json.loads(done.stdout)
    counts = re.search(r"(\d+) uploads .* (\d+) downloads", done.stderr)
    tokens = document["loop"]["generated"][0]["tokens"] if done.returncode == 0 else document["errors"]
    return tokens, document.get("outputs"), tuple(map(int, counts.groups())) if counts else None


def main():
    program = sys.argv[1]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(os.path.join(folder, "ids"), numpy.array([[5, 6, 7, 8, 9]], numpy.int64))
        numpy.save(os.path.join(folder, "mask"), numpy.ones((1, 5), numpy.int64))
        for seed, kind in enumerate(("merged", "parts", "plain")):
            files.write_files(os.path.join(folder, kind), kind, seed)
            wanted, outputs, _ = run_program(program, folder, kind, "cpu", 8)
            found, device_outputs, counts = run_program(program, folder, kind, "cuda,cpu", 8)
            print(f"{kind}: {found}, {counts[0]} uploads and {counts[1]} downloads")
            if found != wanted:
                failures.append(f"{kind}: {found} on the device, {wanted} on the cpu")
            if [each["shape"] for each in outputs] != [each["shape"] for each in device_outputs]:
                failures.append(f"{kind}: outputs {device_outputs} on the device, {outputs} on the cpu")
            _, _, earlier = run_program(program, folder, kind, "cuda,cpu", 4)
            later = tuple((after - before) / 4 for after, before in zip(counts, earlier))
            if later != _LATER_COPIES:
                failures.append(f"{kind}: {later} copies in and out in each later step, {_LATER_COPIES} are expected")
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
