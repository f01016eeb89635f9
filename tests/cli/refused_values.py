# Gives every option of every command values that cannot be meant: each is refused with exit code 2, whatever else is given.
"""usage: refused_values.py PROGRAM MODEL FOLDER

The options come from `ortool help --json`. An empty value is given to all of them; what is no number, infinite or beyond
64 bits to those whose value is a number or a size.
"""
import json
import os
import subprocess
import sys

HUGE = "99999999999999999999999"
GARBAGE = ["x", "-1", "nan", "inf", HUGE, "1,"]
NUMBERS = {"N", "N,N", "S", "SECONDS", "SIZE", "QPS", "K", "R", "A", "C", "P", "P,P", "SHARE", "TIME", "X", "pN=TIME", "NAME=N",
           "NAME=N,N", "NAME=LO:HI", "INPUT=SHAPE", "CONDITION", "LIMITS", "KEY=VALUE"}
# A number, if a strange one.
MEANT = {("rtol", HUGE), ("atol", HUGE)}


def main():
    program, model, folder = sys.argv[1:]
    options = json.loads(subprocess.run([program, "help", "--json"], capture_output=True, text=True, check=True).stdout)
    failures = []
    count = 0
    for command in options["commands"]:
        name = command["name"]
        if name not in ("run", "inspect", "optimize", "quantize", "bench"):
            continue
        for option in command["options"]:
            if not option.get("value"):
                continue
            values = [""] + (GARBAGE if option["value"] in NUMBERS else [])
            for value in values:
                if (option["name"].lstrip("-"), value) in MEANT:
                    continue
                words = [program, name, model, "--" + option["name"].lstrip("-"), value]
                if name in ("optimize", "quantize"):
                    words += ["-o", os.path.join(folder, "refused.onnx"), "--force"]
                done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
                count += 1
                if done.returncode not in (2, 5) or "error: " not in done.stderr:
                    failures.append(f"{' '.join(words[1:])!r}: ended with {done.returncode}: {done.stderr[-200:]}")
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
