#!/usr/bin/env python3
"""Compares node counts of models optimized by ortool, onnxsim and onnxruntime, as a Markdown table.

Each file is simplified by onnxsim with its defaults, saved by onnxruntime at its extended level, and optimized by
ortool three times: in the model's own opset, with --opset 23 and with --target ortool. Counted are the nodes of the
main graph and of all bodies of If, Loop and Scan, and those of model-local functions once, but no Constant nodes.
Counts that should be lower are bold: ours in the model's opset above onnxsim's, or with --target above onnxruntime's.
Errors of tools are listed below the table.

--speed measures onnxruntime, with all of its optimizations and one thread, on ortool's file, on the file that
onnxruntime itself saves, and on the original, in interleaved blocks of runs, and prints medians. A ratio is the other
time divided by that of ortool's file (above 1: ortool's file is faster), with a 95 % bootstrap interval over rounds.
usage: compare_optimizers.py PROGRAM FOLDER... [--only PART,PART] [--speed] [--rounds 5] [--seed 1]
"""
import argparse
import glob
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile

import onnx
import onnxruntime

import compare_peers
import made_inputs

PEER_SECONDS = 300
OPSET = "23"
OWN = {"own": [], "opset": ["--opset", OPSET], "target": ["--target", "ortool"]}
HEADS = ("model", "nodes", "ortool", "onnxsim", f"ortool --opset {OPSET}", "onnxruntime", "ortool --target ortool")


def count_nodes(model):
    def count(nodes):
        total = 0
        for node in nodes:
            total += node.op_type != "Constant"
            for attribute in node.attribute:
                for graph in [attribute.g, *attribute.graphs]:
                    total += count(graph.node)
        return total
    return count(model.graph.node) + sum(count(function.node) for function in model.functions)


def count_file(path):
    return count_nodes(onnx.load(path, load_external_data=False))


def open_session(path, level, saved_as=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = level
    if saved_as:
        options.optimized_model_filepath = saved_as
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def write_onnxsim(path, output):
    import onnxsim
    onnx.save(onnxsim.simplify(onnx.load(path))[0], output)


def write_onnxruntime(path, output):
    open_session(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED, output)


def run_peer(write, path, output):
    """Runs in a separate process, since peers crash and hang; returns None, or why there is no result."""
    def work(connection):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            write(path, output)
            connection.send(None)
        except BaseException as error:  # tools raise many types
            connection.send(str(error).strip().split("\n")[0][:120] or type(error).__name__)
    receiver, sender = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(sender,))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(PEER_SECONDS) else f"not finished within {PEER_SECONDS} s"
    except EOFError:
        return "crashes"
    finally:
        process.kill()
        process.join()


def run_ortool(program, path, output, options):
    done = subprocess.run([program, "optimize", path, "-o", output, "--force", "--verify", "0", "--json", "-q", *options],
                          capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else json.loads(done.stdout)["errors"][0]["message"][:120]


class Lane(compare_peers.InProcess):
    """Times one file in onnxruntime, in blocks of runs."""

    def __init__(self, path, model):
        self.session = open_session(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
        self.inputs = made_inputs.inputs_of(self.session, model)
        self.run_once()

    def run_once(self):
        self.session.run(None, self.inputs)


def measure(files, model, arguments):
    lanes = {name: Lane(path, model) for name, path in files.items()}
    samples, order = {name: [] for name in lanes}, random.Random(arguments.seed)
    for _ in range(arguments.rounds):
        names = list(lanes)
        order.shuffle(names)
        for name in names:
            samples[name].append(lanes[name].block())
    cells = [f"{statistics.median(samples[name]):.3f}" for name in lanes]
    for peer in list(lanes)[1:]:
        ratio, low, high = compare_peers.ratio_with_interval(samples[peer], samples["own"], arguments.seed)
        cells.append(f"{ratio:.2f} ({low:.2f} to {high:.2f})")
    return cells


def find_models(arguments):
    only = list(filter(None, arguments.only.split(",")))
    for folder in arguments.folders:
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True)):
            name = os.path.basename(path)[:-len(".onnx")]
            name = os.path.basename(os.path.dirname(path)) if name == "model" else name
            if not only or any(part in name for part in only):
                yield name, path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--only", default="")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    heads = ("model", "ortool's file", "onnxruntime's file", "original", "onnxruntime's / ortool's", "original / ortool's")
    compare_peers.print_row(heads if arguments.speed else HEADS, True)
    print("|" + "---|" * len(heads if arguments.speed else HEADS))
    notes, above = [], []
    for name, path in find_models(arguments):
        with tempfile.TemporaryDirectory() as folder:
            failures, files = {}, {}

            def make(tool, run, *details):
                files[tool] = os.path.join(folder, tool + ".onnx")
                failures[tool] = run(*details[:1], path, files[tool], *details[1:])
                if failures[tool]:
                    notes.append(f"{name}: {tool}: {failures[tool]}")

            make("own", run_ortool, arguments.program, OWN["own"])
            make("onnxruntime", run_peer, write_onnxruntime)
            if arguments.speed:
                if not any(failures.values()):
                    try:
                        compare_peers.print_row([name, *measure({**files, "original": path}, path, arguments)], True)
                    except Exception as error:  # onnxruntime raises many types
                        notes.append(f"{name}: {str(error).splitlines()[0][:120]}")
                continue
            make("onnxsim", run_peer, write_onnxsim)
            for form in ("opset", "target"):
                make(form, run_ortool, arguments.program, OWN[form])
            counts = {tool: None if failures[tool] else count_file(files[tool]) for tool in files}
        cells = {tool: "-" if count is None else str(count) for tool, count in counts.items()}
        for ours, peer in (("own", "onnxsim"), ("target", "onnxruntime")):
            if None not in (counts[ours], counts[peer]) and counts[ours] > counts[peer]:
                cells[ours] = f"**{cells[ours]}**"
                above.append(f"{name} ({ours}: {counts[ours]}, {peer}: {counts[peer]})")
        order = ("own", "onnxsim", "opset", "onnxruntime", "target")
        compare_peers.print_row([name, str(count_file(path)), *[cells[tool] for tool in order]], True)
    print()
    for note in notes:
        print(note)
    if not arguments.speed:
        print(f"{len(above)} counts above the peer's: " + "; ".join(above))
    return 0


if __name__ == "__main__":
    sys.exit(main())
