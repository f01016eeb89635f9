#!/usr/bin/env python3
# Prints a SHA-256 hash for each output of each model, for a bitwise comparison of two builds of the program.
"""Usage: hash_outputs.py PROGRAM FOLDER... [--isa A,B] [--threads 1,2] > FILE

Runs every model.onnx below the folders at each instruction-set level and number of threads, on its test data sets or
else on generated inputs. `diff` of two outputs shows where two builds differ. For a model that does not run, its exit
code and error are printed instead.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import tempfile


def hashes(program, model, data, isa, threads):
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "run", model, "--threads", threads, "--output-dir", folder, "-q"]
        words += ["--input-dir", data] if data else ["--random"]
        environment = {**os.environ, "ORTOOL_MAX_ISA": isa}
        try:
            ended = subprocess.run(words, env=environment, capture_output=True, text=True, errors="replace", timeout=300,
                                   stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return ["timeout"]
        if ended.returncode != 0:
            error = next((line for line in ended.stderr.splitlines() if line.startswith("error:")), "")
            return [f"exit {ended.returncode} {re.sub('[0-9a-f]{8,}', '*', error)}"]
        lines = []
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                lines.append(f"{name} {hashlib.sha256(file.read()).hexdigest()}")
        return lines


def find_models(folders):
    for top in folders:
        for folder, _, files in sorted(os.walk(top)):
            for name in sorted(files):
                if not name.endswith(".onnx"):
                    continue
                sets = sorted(each for each in os.listdir(folder) if each.startswith("test_data_set_"))
                for data in sets[:1] if name == "model.onnx" and sets else [None]:
                    yield os.path.join(folder, name), os.path.join(folder, data) if data else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--isa", default="baseline,avx2,avx512,amx")
    parser.add_argument("--threads", default="1,2")
    options = parser.parse_args()
    cases = [(model, data, isa, threads) for model, data in find_models(options.folders)
             for isa in options.isa.split(",") for threads in options.threads.split(",")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for case, lines in zip(cases, pool.map(lambda case: hashes(options.program, *case), cases)):
            for line in lines:
                print(f"{case[0]} {case[2]} {case[3]} {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
