# Passes invalid values to every option of every command: each is rejected with exit code 2.
"""usage: refused_values.py PROGRAM MODEL FOLDER

The options come from `ortool help --json`. All of them get an empty value; those with a number or size also get
non-numbers, infinities and numbers beyond 64 bits, and lists with commas get empty elements. Numbers are rejected
before the model is loaded: with a missing model, the error is still about the option.
"""
import concurrent.futures
import json
import os
import subprocess
import sys

HUGE = "99999999999999999999999"
LISTS = [",", ",,", "x,", ",x", "x,,y", " , "]
GARBAGE = ["x", "-1", "nan", "inf", HUGE, "1,"]
NUMBERS = {"N", "N,N", "S", "SECONDS", "SIZE", "QPS", "K", "R", "A", "C", "P", "P,P", "SHARE", "TIME", "X", "pN=TIME", "NAME=N",
           "NAME=N,N", "NAME=LO:HI", "INPUT=SHAPE", "CONDITION", "LIMITS", "KEY=VALUE"}
# Numbers whose meaning does not depend on the model.
PLAIN_NUMBERS = NUMBERS - {"NAME=N", "NAME=N,N", "NAME=LO:HI", "INPUT=SHAPE", "CONDITION", "LIMITS", "KEY=VALUE"}
# A valid, if unusual, number.
MEANT = {("rtol", HUGE), ("atol", HUGE)}


def try_one(case):
    words, text = case
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    is_refused = done.returncode in (2, 5) and "error: " in done.stderr and "internal" not in done.stderr
    if is_refused and (text or "") in done.stderr:
        return None
    return f"{' '.join(words[1:])!r}: ended with {done.returncode}: {done.stderr[-200:]}"


def main():
    program, model, folder = sys.argv[1:]
    options = json.loads(subprocess.run([program, "help", "--json"], capture_output=True, text=True, check=True).stdout)
    cases = []
    for command in options["commands"]:
        name = command["name"]
        if name not in ("run", "inspect", "optimize", "quantize", "bench"):
            continue
        for option in command["options"]:
            if not option.get("value"):
                continue
            option_name = option["name"].lstrip("-")
            for value in [""] + (GARBAGE if option["value"] in NUMBERS else []):
                if (option_name, value) in MEANT:
                    continue
                words = [program, name, model, "--" + option_name, value]
                if name in ("optimize", "quantize"):
                    words += ["-o", os.path.join(folder, "refused.onnx"), "--force"]
                cases.append((words, None))
            for value in LISTS if option["list"] else []:
                words = [program, name, model, "--" + option_name, value]
                cases.append((words, "list"))
            if option["value"] in PLAIN_NUMBERS:
                words = [program, name, os.path.join(folder, "missing.onnx"), "--" + option_name, "five"]
                if name in ("optimize", "quantize"):
                    words += ["-o", os.path.join(folder, "refused.onnx")]
                if name == "quantize":
                    words += ["--calibration-data", folder]
                cases.append((words, "--" + option_name))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(try_one, cases) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(failures)} failures")
    return 1 if failures or len(cases) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
