"""Measures how long programs take to start: processor time and wall time of --version and of a small model, the least of many runs in turns."""
import argparse
import os
import pathlib
import subprocess
import time

_DIGITS = pathlib.Path(__file__).resolve().parents[2] / "testdata/digits"


def measure(command):
    """(processor time, wall time) of one run in ms."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000, wall * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--runs", type=int, default=300)
    options = parser.parse_args()
    run = ["run", str(_DIGITS / "digits.onnx"), "--threads", "1", "--input", f"image={_DIGITS / 'digit-7.png'}"]
    for arguments in (["--version"], run):
        least = {program: (float("inf"), float("inf")) for program in options.programs}
        for _ in range(options.runs):
            for program in options.programs:
                least[program] = tuple(map(min, least[program], measure([program, *arguments])))
        for program, (processor, wall) in least.items():
            print(f"{arguments[0]:10} {processor:7.2f} ms of processor time {wall:7.2f} ms  {program}")


if __name__ == "__main__":
    main()
