# Calibration on a thousand samples takes at most 20 % more memory than on ten.
"""usage: compare_memory.py PROGRAM MODEL"""
import re
import subprocess
import sys


def peak_kilobytes(program, model, samples):
    done = subprocess.run([program, "model", model, str(samples)], check=True, capture_output=True, text=True)
    print(done.stdout, end="")
    return int(re.search(r"VmHWM:\s*(\d+) kB", done.stdout).group(1))


def main():
    program, model = sys.argv[1:]
    few, many = peak_kilobytes(program, model, 10), peak_kilobytes(program, model, 1000)
    print(f"10 samples: {few} kB, 1000 samples: {many} kB, ratio {many / few:.3f}")
    return 0 if many <= 1.2 * few else 1


if __name__ == "__main__":
    sys.exit(main())
