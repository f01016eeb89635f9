#!/usr/bin/env python3
"""Compares `bench --estimate` with times on the processor that the device describes, and prints a table.

Both get the inputs of test_data_set_0 and one thread. The times are measured now (the median), or come from a table that
compare_peers.py wrote on an idle machine (--times FILE). Exits with 1 if fewer than --expect models are within --factor.
usage: check_estimates.py PROGRAM MODELS_FOLDER DEVICE [--times FILE.md] [--only NAME,NAME] [--factor 1.5] [--expect 0]
                          [--markdown] [--nodes]
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys


def bench(program, path, folder, *options):
    """The report, or None with the reason on standard error."""
    command = [program, "bench", path, "--threads", "1", "--json", "--quiet", "--input-dir", folder, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        print(f"{path}: {done.stderr.strip()}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def times_of(path):
    """Milliseconds by model: the first two columns of a table."""
    times = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r"\| ([\w.-]+) \| ([0-9.]+) \|", line)
            if found:
                times.setdefault(found.group(1), float(found.group(2)))
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("models")
    parser.add_argument("device")
    parser.add_argument("--times")
    parser.add_argument("--only", default="")
    parser.add_argument("--factor", type=float, default=1.5)
    parser.add_argument("--expect", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--nodes", action="store_true", help="the slowest nodes of models outside the factor")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    known = times_of(arguments.times) if arguments.times else {}
    rows = []
    for name in sorted(os.listdir(arguments.models)):
        path = os.path.join(arguments.models, name, "model.onnx")
        folder = os.path.join(arguments.models, name, "test_data_set_0")
        if not os.path.exists(path) or (only and name not in only) or (known and name not in known):
            continue
        estimate = bench(arguments.program, path, folder, "--estimate", arguments.device)
        if estimate is None:
            continue
        if known:
            time = known[name]
        else:
            measured = bench(arguments.program, path, folder, "--duration", "0.5s")
            if measured is None:
                continue
            time = measured["results"][0]["latency_ms"]["p50"]
        estimate = estimate["estimates"][0]
        ratio = estimate["ms"] / time
        rows.append((name, estimate["ms"], time, ratio))
        if not arguments.markdown:
            print(f"{name:36} estimate {estimate['ms']:10.4f} ms  measured {time:10.4f} ms  ratio {ratio:6.2f}", flush=True)
        if arguments.nodes and not 1 / arguments.factor <= ratio <= arguments.factor:
            for node in estimate["nodes"][:6]:
                print(f"    {node['ms']:9.4f} ms {node['calls']:6.0f} {node['macs']:12.0f} {node['bytes']:12.0f} "
                      f"{node['bound']:9}{node['op_type']:24} {node['node'][:50]}")
    if not rows:
        sys.exit("no model was compared")
    near = sum(1 / arguments.factor <= ratio <= arguments.factor for *_, ratio in rows)
    if arguments.markdown:
        print("| model | estimate, ms | measured, ms | ratio |\n|---|---|---|---|")
        for name, guess, time, ratio in rows:
            print(f"| {name} | {guess:.3g} | {time:.3g} | {ratio:.2f} |")
    mean = math.exp(sum(math.log(ratio) for *_, ratio in rows) / len(rows))
    print(f"\n{near} of {len(rows)} within {arguments.factor}, geometric mean of the ratios {mean:.2f}")
    sys.exit(0 if near >= arguments.expect else 1)


if __name__ == "__main__":
    main()
