#!/usr/bin/env python3
"""Builds the minimal profile for models, and checks it against the full program.

The full program lists the operators of the models (inspect --operators); the build with this list must run each model
with the full program's bits at every instruction set of this processor, be no larger than the limit when stripped, say
that it is minimal, and refuse a model with an operator that is not in the list by one error that names it.
usage: check_minimal.py FULL_PROGRAM BUILD_FOLDER MODEL... --without MODEL [--limit BYTES] [--jobs 2]
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
UNSUPPORTED = 5


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False, **options)


def expect(condition, message):
    if not condition:
        sys.exit(f"check_minimal.py: {message}")


def build(arguments, operators):
    configure = ["cmake", "-S", ROOT, "-B", arguments.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DORTOOL_PROFILE=minimal", f"-DORTOOL_OPERATORS={operators}"]
    for command in (configure, ["cmake", "--build", arguments.build, "--parallel", str(arguments.jobs)]):
        result = run(command)
        expect(result.returncode == 0, f"{' '.join(command)} failed\n{result.stdout[-4000:]}{result.stderr[-4000:]}")
    return os.path.join(arguments.build, "bin", "ortool")


def output_files(program, model, isa, scratch):
    """The bytes of each output for the same random inputs."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        result = run([program, "run", model, "--random", "--seed", "7", "--output-dir", folder, "-q"],
                     env=dict(os.environ, ORTOOL_MAX_ISA=isa))
        expect(result.returncode == 0, f"{program} run {model} at {isa}: exit {result.returncode}\n{result.stderr}")
        files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read()
    expect(files, f"{program} run {model} wrote no output")
    return files


def check_runs(arguments, program, scratch):
    flags = open("/proc/cpuinfo", encoding="utf-8").read().split()
    isas = ["baseline"] + ["avx2"] * ("avx2" in flags) + ["avx512"] * ("avx512bw" in flags)
    for model in arguments.models:
        for isa in isas:
            expect(output_files(program, model, isa, scratch) == output_files(arguments.full, model, isa, scratch),
                   f"{model} at {isa}: other bits than those of the full program")
        print(f"{model}: the bits of the full program at {', '.join(isas)}")


def check_refusal(arguments, program):
    result = run([program, "run", arguments.without, "--random"])
    lines = [line for line in result.stderr.splitlines() if line.startswith("error")]
    expect(result.returncode == UNSUPPORTED and len(lines) == 1 and "not supported" in lines[0],
           f"{arguments.without}: expected one error and exit code {UNSUPPORTED}, found exit code {result.returncode}\n"
           f"{result.stderr}")
    expect("minimal build" in result.stderr and "ORTOOL_OPERATORS" in result.stderr,
           f"the error does not say what to do:\n{result.stderr}")
    print(lines[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("full")
    parser.add_argument("build")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--without", required=True, help="a model with an operator that the others lack")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.full, arguments.build = os.path.abspath(arguments.full), os.path.abspath(arguments.build)
    with tempfile.TemporaryDirectory() as scratch:
        listed = run([arguments.full, "inspect", "--operators", *arguments.models])
        expect(listed.returncode == 0, f"inspect --operators: {listed.stderr}")
        os.makedirs(arguments.build, exist_ok=True)
        operators = os.path.join(arguments.build, "operators.txt")
        with open(operators, "w", encoding="utf-8") as file:
            file.write(listed.stdout)
        program = build(arguments, operators)
        version = run([program, "--version"]).stdout
        expect("minimal" in version, f"--version does not say that the build is minimal: {version}")
        check_runs(arguments, program, scratch)
        check_refusal(arguments, program)
        stripped = os.path.join(scratch, "stripped")
        subprocess.run(["strip", "-o", stripped, program], check=True)
        size = os.path.getsize(stripped)
    print(f"stripped: {size} bytes")
    expect(arguments.limit is None or size <= arguments.limit, f"larger than the limit of {arguments.limit} bytes")


if __name__ == "__main__":
    main()
