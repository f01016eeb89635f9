# Checks which nodes transformers have after optimization to opset 23 or for ortool only.
"""Usage: check_transformers.py PROGRAM MODELS MAKE_MODELS   (exit 77: nothing to check)

Each transformer goes through `ortool optimize` with --opset 23 and with --target ortool. There is one fused operator
for each such block of the model, none of the operators that it was decomposed into is left, and there are no more nodes
than stated here. onnxruntime gives the same results for the opset 23 file as for the original, and a second run changes
nothing. BERT is written by MAKE_MODELS as PyTorch exports it, with two small layers.
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

from check_optimize import compare, open_session, reference, same_bytes

import onnx

_WAYS = (["--opset", "23"], ["--target", "ortool"])
_DECOMPOSED = {"Softmax", "Erf", "ReduceMean", "Pow", "Sqrt"}
_CUTS = {"Reshape", "Transpose"}
_SHARE_OF_MAX = 1e-4

# Counts of fused operators; operators that must not be left; the maximum number of nodes for each option; more options.
_MODELS = {
    "bert": ({"Attention": 2, "LayerNormalization": 5, "Gelu": 2}, _DECOMPOSED | _CUTS, (46, 35), []),
    "vit-mnist-opset17": ({"Attention": 6, "LayerNormalization": 13}, _DECOMPOSED, (98, 98), []),
    "vit-mnist-opset13-decomposed-ln":
        ({"Attention": 6, "LayerNormalization": 13}, _DECOMPOSED, (98, 98), []),
    # Its last Softmax weights positions and is not attention.
    "cct2-opset20": ({"Attention": 2, "LayerNormalization": 5, "Gelu": 2, "Softmax": 1}, {"Erf"}, (43, 43), []),
    "tinybert-tribuo": ({"Attention": 1, "LayerNormalization": 3, "Gelu": 1}, _DECOMPOSED | _CUTS, (38, 23), []),
    # Its mask fits only a batch of 1.
    "decoder-cross-attn-vespa": ({"Attention": 2}, _DECOMPOSED, (51, 45), ["--dim", "batch=1"]),
    # A Split after each fused product for q, k and v; the Reshapes expand both angle tables to the batch.
    "stories260k-llama-kv":
        ({"Attention": 5, "RotaryEmbedding": 10, "RMSNormalization": 11, "Split": 5, "Reshape": 2},
         _DECOMPOSED | {"Where"}, (97, 92), []),
}


def make_bert(make_models, folder):
    spec = importlib.util.spec_from_file_location("make_models", make_models)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = os.path.join(folder, "bert.onnx")
    onnx.save(module.bert(layers=2, hidden=64, heads=4, inter=128, seq=16, vocab=100), path)
    return path


def run_json(program, *arguments):
    done = subprocess.run([program, *arguments, "--json", "-q"], capture_output=True, text=True, timeout=300, check=False)
    document = json.loads(done.stdout)
    if done.returncode != 0:
        words = document["errors"][0]["message"] if document["errors"] else json.dumps(document.get("verification"))
        raise RuntimeError(f"exit code {done.returncode}: {words}")
    return document


def problems_of(program, path, row, index, folder):
    blocks, gone, most, options = row
    way = _WAYS[index]
    output, again = os.path.join(folder, f"{index}.onnx"), os.path.join(folder, f"{index}again.onnx")
    run_json(program, "optimize", path, "-o", output, *way, *options)
    summary = run_json(program, "inspect", output)["summary"]
    counts = {}
    for name, count in summary["op_histogram"].items():
        own = name.removeprefix("ortool.")
        counts[own] = counts.get(own, 0) + count
    # Normalizations that include an addition count too.
    for name in ("EmbedLayerNormalization", "SkipLayerNormalization"):
        counts["LayerNormalization"] = counts.get("LayerNormalization", 0) + counts.pop(name, 0)
    problems = [f"{counts.get(name, 0)} {name} (expected {count})"
                for name, count in blocks.items() if counts.get(name, 0) != count]
    problems += [f"{counts[name]} {name} are left" for name in sorted(gone - set(blocks)) if counts.get(name, 0)]
    if summary["node_count"] > most[index]:
        problems.append(f"{summary['node_count']} nodes (expected at most {most[index]})")
    run_json(program, "optimize", output, "-o", again, *way)
    if not same_bytes(output, again):
        problems.append("a second run changes the file")
    expected = reference(path)
    if way[0] == "--opset":
        if expected is None:
            problems.append("onnxruntime does not run the original")
        else:
            problem = compare(open_session(output).run(None, expected[0]), expected[1], _SHARE_OF_MAX)
            problems += [f"onnxruntime: {problem}"] if problem else []
    return problems, f"{summary['node_count']} nodes: {dict(sorted(summary['op_histogram'].items()))}"


def main():
    program, models, make_models = sys.argv[1:]
    only = [name for name in os.environ.get("ORTOOL_OPTIMIZE_ONLY", "").split(",") if name]
    count = failed = 0
    for name, row in _MODELS.items():
        if only and not any(each in name for each in only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            is_made = name == "bert"
            if not os.path.exists(make_models if is_made else os.path.join(models, name)):
                continue
            path = make_bert(make_models, folder) if is_made else os.path.join(models, name, "model.onnx")
            for index, way in enumerate(_WAYS):
                count += 1
                try:
                    problems, told = problems_of(program, path, row, index, folder)
                except Exception as error:  # onnxruntime raises many types
                    problems, told = [str(error)[:300]], ""
                print(f"{name} {' '.join(way)}: {told}", flush=True)
                for problem in problems:
                    print(f"{name} {' '.join(way)}: FAILED: {problem}", flush=True)
                failed += bool(problems)
    if count == 0:
        print("SKIPPED: no models")
        return 77
    print(f"{count} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
