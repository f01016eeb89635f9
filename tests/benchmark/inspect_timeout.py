#!/usr/bin/env python3
# Measures how long inspect keeps running after its time limit or an interrupt, in each long stage, on a large model.
"""Usage: inspect_timeout.py PROGRAM MODEL.onnx [OTHER.onnx]"""
import signal
import subprocess
import sys
import time

FORMS = [[], ["--json"], ["--check"], ["--format", "html"], ["--format", "dot"], ["--weights"]]
MOMENTS = [0.02, 0.1, 0.3, 0.8]


def run(command, stop_after=None):
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if stop_after is not None:
        time.sleep(stop_after)
        process.send_signal(signal.SIGINT)
    return process.wait(), time.monotonic() - begin


def main():
    program, model = sys.argv[1:3]
    forms = FORMS + ([["--diff", sys.argv[3]]] if len(sys.argv) > 3 else [])
    worst = {124: 0.0, 130: 0.0}
    for form in forms:
        for moment in MOMENTS:
            command = [program, "inspect", model, *form]
            limited = run([*command, "--timeout", str(moment)])
            interrupted = run(command, moment)
            for code, seconds in (limited, interrupted):
                if code in worst:
                    worst[code] = max(worst[code], seconds - moment)
            print(f"{' '.join(form) or 'overview'} at {moment} s: time limit {limited[0]} after {limited[1]:.2f} s, "
                  f"interrupt {interrupted[0]} after {interrupted[1]:.2f} s")
    print(f"longest after a time limit {worst[124]:.2f} s, after an interrupt {worst[130]:.2f} s")
    return 1 if worst[124] > 0.5 or worst[130] > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
