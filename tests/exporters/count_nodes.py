# Compares the node counts of the exporters' models optimized by ortool and by onnxslim.
"""usage: count_nodes.py PROGRAM FOLDER [--only PART,PART] [--jobs 2] [--all]

FOLDER is the output of make_models.py. Counted as in tests/benchmark/compare_optimizers.py: all nodes, those of bodies and
functions included, but no Constant. Prints the models in which ortool leaves more nodes than onnxslim (--all: every model), what
either tool refuses, and the share of models in which ortool's count is at most onnxslim's. Exit 1 if that is below 95 %.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmark"))
import compare_optimizers  # noqa: E402, pylint: disable=wrong-import-position

_SECONDS = 300
_LEAST_SHARE = 0.95


def run(command, path):
    """The number of nodes in the file that a command writes, or its complaint."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {_SECONDS} s"
    if done.returncode != 0 or not os.path.exists(path):
        told = [line for line in done.stderr.strip().splitlines() if not line.startswith(("warning:", "note:", "hint:"))]
        return f"exit {done.returncode}: {(told or [''])[-1][:160]}"
    return compare_optimizers.count_file(path)


def count(program, model):
    """Counts of the model, of ortool's file and of onnxslim's."""
    with tempfile.TemporaryDirectory() as scratch:
        own, other = os.path.join(scratch, "own.onnx"), os.path.join(scratch, "other.onnx")
        return (compare_optimizers.count_file(model), run([program, "optimize", model, "-o", own, "-q"], own),
                run([sys.executable, "-m", "onnxslim", model, other], other))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    parts = [part for part in arguments.only.split(",") if part]
    names = sorted(name for name in os.listdir(arguments.folder) if not name.endswith(".part")
                   and os.path.exists(os.path.join(arguments.folder, name, "model.onnx"))
                   and (not parts or any(part in name for part in parts)))
    good, compared, refused = 0, 0, []
    print(f"{'':60} {'nodes':>6} {'ortool':>6} {'onnxslim':>8}")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        counted = pool.map(lambda name: count(arguments.program, os.path.join(arguments.folder, name, "model.onnx")), names)
        for name, (before, own, other) in zip(names, counted):
            problems = [f"{name}: {tool}: {value}" for tool, value in (("ortool", own), ("onnxslim", other)) if isinstance(value, str)]
            refused += problems
            if problems:
                continue
            compared += 1
            good += own <= other
            if own > other or arguments.all:
                print(f"{name:60} {before:6} {own:6} {other:8}", flush=True)
    for line in refused:
        print(line)
    share = good / max(compared, 1)
    print(f"{compared} models compared: at most as many nodes as onnxslim in {good} ({share:.1%}); {len(refused)} refusals")
    return 0 if compared and share >= _LEAST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
