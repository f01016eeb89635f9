# Lists the operators beyond ai.onnx that the exporters' models contain, by the tool that wrote them.
"""usage: list_operators.py FOLDER [--program PROGRAM]

FOLDER is the output of make_models.py. With --program, an operator that the program does not run in a file is marked with *.
"""
import argparse
import collections
import os
import re
import subprocess

import onnx


def collect(graph, operators):
    for node in graph.node:
        if node.domain not in ("", "ai.onnx"):
            operators[f"{node.domain}.{node.op_type}"] += 1
        elif node.op_type in ("SimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization"):
            operators[node.op_type] += 1
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                collect(body, operators)


def operators_of(path):
    model = onnx.load(path, load_external_data=False)
    operators, own = collections.Counter(), {(function.domain, function.name) for function in model.functions}
    collect(model.graph, operators)
    for function in model.functions:
        collect(function, operators)
    return {name: count for name, count in operators.items() if tuple(name.rsplit(".", 1)) not in own}


def family_of(name):
    """The last tool of a variant, the builder of genai with the precision, or the first word."""
    if "--" in name:
        return name.rsplit("--", 1)[1]
    if name.startswith("genai-"):
        return "genai-" + re.sub(r"^genai-(phi3-long|gpt-oss|granite-hybrid|[^-]+)-", "", name)
    return name.split("-")[0] if name.startswith(("texts-", "sklearn-", "search-")) else "plain"


def missing_in(program, folder):
    """Operators that the program names as not supported in a model."""
    done = subprocess.run([program, "run", folder, "--test"], capture_output=True, text=True, errors="replace", check=False)
    told = [line for line in done.stderr.splitlines() if line.startswith("error:") and "not supported" in line]
    return {name for line in told for name in re.findall(r"((?:\w+\.)+\w+)-\d+", line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--program")
    arguments = parser.parse_args()
    families, files, missing = collections.defaultdict(collections.Counter), collections.Counter(), set()
    for entry in sorted(os.scandir(arguments.folder), key=lambda each: each.name):
        path = os.path.join(entry.path, "model.onnx")
        if entry.name.endswith(".part") or not os.path.exists(path):
            continue
        found = operators_of(path)
        files[family_of(entry.name)] += 1
        families[family_of(entry.name)].update(found.keys())
        if arguments.program and found:
            missing |= missing_in(arguments.program, entry.path)
    for family in sorted(files):
        names = [f"{name}{'*' if name in missing else ''} {count}" for name, count in sorted(families[family].items())]
        print(f"{family} ({files[family]} files): {', '.join(names) or '-'}")
    if arguments.program:
        print(f"\nnot supported: {', '.join(sorted(missing)) or '-'}")


if __name__ == "__main__":
    main()
