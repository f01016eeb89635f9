# Compares the speed of float models with their forms quantized with --keep-faster: none may be slower.
"""usage: keep_faster.py PROGRAM MODELS [NAME ...] [--threads N] [--duration SECONDS] [--all] [--form qdq|qoperator|dynamic]

MODELS is a folder of folders with model.onnx and test_data_set_*, used for calibration. `ortool bench` measures each
pair in one interleaved run. Prints a row per model; exit code 1 if one is significantly, by over 2 %, slower than its
float form. --all also measures the fully quantized models, to show the effect of --keep-faster. Refused models are
listed at the end.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False)
    try:
        return json.loads(done.stdout), done.returncode
    except json.JSONDecodeError:
        return {"errors": [{"message": done.stderr.decode()[-200:]}]}, done.returncode


def is_float(program, model):
    told, code = run(program, "inspect", model, "--json")
    if code != 0:
        return False
    operators = told["summary"]["op_histogram"]
    return not any("Linear" in name and "Quantize" in name or name.startswith("QLinear") or "Integer" in name for name in operators)


def quantize(program, model, data, output, arguments, *options):
    settings = ["--calibration-data", data, "--recipe", "fast"]
    if arguments.form == "dynamic":
        settings = ["--mode", "dynamic", "--validation-data", data]
    elif arguments.form == "qoperator":
        settings += ["--quant-format", "qoperator"]
    return run(program, "quantize", model, "-o", output, "--json", "-q", "--threads", str(arguments.threads), *settings, *options)


def ratio_of(program, quantized, model, arguments):
    """The quantized model's time relative to the float model's: (ratio, low, high)."""
    inputs = os.path.join(os.path.dirname(model), "test_data_set_0")
    told, _ = run(program, "bench", quantized, "--reference", model, "--input-dir", inputs, "--threads", str(arguments.threads),
                  "--duration", f"{arguments.duration}s", "--json")
    comparison = (told.get("comparison") or [None])[0]
    if comparison is None:
        return None
    return comparison["ratio"], *comparison["ratio_ci"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("models")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--duration", type=float, default=2)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--form", choices=("qdq", "qoperator", "dynamic"), default="qdq")
    arguments = parser.parse_args()
    names = arguments.names or sorted(os.listdir(arguments.models))
    slower = []
    refused = []
    print("| model | clusters kept | int8 by float | 99 % | whole |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            data = os.path.join(arguments.models, name)
            model = os.path.join(data, "model.onnx")
            if not os.path.exists(model) or not is_float(arguments.program, model):
                continue
            output = os.path.join(folder, name + ".onnx")
            told, code = quantize(arguments.program, model, data, output, arguments, "--keep-faster")
            if code != 0:
                refused.append(f"{name}: {told['errors'][0]['message'][:200]}")
                continue
            clusters = told["keep_faster"]["clusters"]
            kept = f"{sum(each['is_quantized'] for each in clusters)} of {len(clusters)}"
            ratio = ratio_of(arguments.program, output, model, arguments)
            whole = None
            if arguments.all and quantize(arguments.program, model, data, output, arguments)[1] == 0:
                whole = ratio_of(arguments.program, output, model, arguments)
            if ratio is None:
                print(f"| {name} | {kept} | cannot be run | | |", flush=True)
                continue
            print(f"| {name} | {kept} | {ratio[0]:.3f} | {ratio[1]:.3f} to {ratio[2]:.3f} | {f'{whole[0]:.3f}' if whole else ''} |",
                  flush=True)
            if ratio[1] > 1.02:
                slower.append(name)
    for line in refused:
        print("refused: " + line)
    print("slower than float: " + (", ".join(slower) or "none"))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
