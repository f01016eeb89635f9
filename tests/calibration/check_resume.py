# An interrupted calibration is saved completely, and a resumed one is bitwise identical to an uninterrupted one.
"""usage: check_resume.py PROGRAM MODEL, where MODEL has one input of 8 x 8 images with samples along the first axis"""
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
import make_sets  # noqa: E402

_SAMPLES = 60000
_NUMBERS = 64


def calibrate(program, model, data, cache):
    return [program, "quantize", model, "--calibration-data", data, "--calibration-cache", cache, "--calibrate-only", "--recipe",
            "fast", "--threads", "1", "--progress", "none"]


def interrupt(command):
    """Stops the running command; returns its exit code, or None if it had already ended."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    begin = time.monotonic()
    while process.poll() is None and time.monotonic() - begin < 0.7:
        time.sleep(0.02)
    if process.poll() is not None:
        return None
    process.send_signal(signal.SIGINT)
    process.communicate()
    return process.returncode


def main():
    program, model = sys.argv[1:]
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        data, cache, whole = (os.path.join(folder, name) for name in ("set.npz", "part.calibration", "whole.calibration"))
        block = struct.pack(f"<{100 * _NUMBERS}f", *(float(draw.randrange(17)) for _ in range(100 * _NUMBERS)))
        make_sets.write_npz(data, {"image": make_sets.npy("<f4", (_SAMPLES, 1, 8, 8), block * (_SAMPLES // 100))})
        code = interrupt(calibrate(program, model, data, cache))
        if code is None:
            print("SKIPPED: the calibration was over before it could be interrupted")
            return 77
        begin = time.monotonic()
        first_size = os.path.getsize(cache) if os.path.exists(cache) else 0
        subprocess.run(calibrate(program, model, data, cache), check=True, stdout=subprocess.DEVNULL)
        rest = time.monotonic() - begin
        subprocess.run(calibrate(program, model, data, whole), check=True, stdout=subprocess.DEVNULL)
        print(f"interrupted: exit {code}, {first_size} bytes saved; the rest took {rest:.1f} s")
        with open(cache, "rb") as one, open(whole, "rb") as other:
            is_same = one.read() == other.read()
        print("the same bits" if is_same else "NOT the same bits")
        return 0 if code == 130 and first_size > 0 and is_same else 1


if __name__ == "__main__":
    sys.exit(main())
