#!/usr/bin/python3
# Compares the contents of whole models as read by ortool's loader and by the onnx package.
"""Usage: compare_loader.py DUMP_PROGRAM FOLDER...   (exit 77: nothing to compare)

Compares graph inputs, outputs, initializers and tensor attributes with their bytes, and nodes with
their inputs and outputs, in subgraphs too. Models that the onnx package cannot load are counted;
folders called "broken" are skipped, since their files must be refused.
"""
import collections
import glob
import hashlib
import os
import subprocess
import sys

try:
    import onnx
    from onnx import numpy_helper
except ImportError:
    print("SKIPPED: this Python has no onnx package")
    sys.exit(77)

NAMES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string",
         9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64",
         15: "complex128", 16: "bfloat16"}
KINDS = ["undefined", "float", "int", "string", "tensor", "graph", "floats", "ints", "strings", "tensors",
         "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"]


class Unreadable(Exception):
    pass


def describe(tensor, folder):
    if tensor.data_type not in NAMES:
        raise Unreadable(f"type {tensor.data_type}")
    shape = "x".join(map(str, tensor.dims)) or "scalar"
    if tensor.data_type == 8:
        data = b"".join(text + b"\0" for text in tensor.string_data)
    elif tensor.data_location == 1:
        entries = {entry.key: entry.value for entry in tensor.external_data}
        with open(os.path.join(folder, entries["location"]), "rb") as file:
            file.seek(int(entries.get("offset", 0)))
            data = file.read(int(entries["length"])) if "length" in entries else file.read()
    elif tensor.raw_data:
        data = tensor.raw_data
    elif tensor.data_type == 16:
        data = b"".join((value & 0xFFFF).to_bytes(2, "little") for value in tensor.int32_data)
    else:
        data = numpy_helper.to_array(tensor).tobytes()
    return f"{NAMES[tensor.data_type]} {shape} {hashlib.sha256(data).hexdigest()}"


def dump_nodes(nodes, place, folder, lines):
    for index, node in enumerate(nodes):
        here = f"{place}/{index}"
        domain = "" if node.domain == "ai.onnx" else node.domain
        lines.append(" ".join([f"{here} {domain}:{node.op_type}"] + ["<" + name for name in node.input]
                              + [">" + name for name in node.output]))
        graphs = 0
        for attribute in node.attribute:
            line = f"{here}.{attribute.name} {KINDS[attribute.type]}"
            if attribute.type == 4 and not attribute.ref_attr_name:
                line += " " + describe(attribute.t, folder)
            lines.append(line)
            for graph in ([attribute.g] if attribute.type == 5 else attribute.graphs):
                dump_graph(graph, f"{here}#{graphs}", folder, lines)
                graphs += 1


def dump_graph(graph, place, folder, lines):
    lines += [f"{place} input {value.name}" for value in graph.input]
    lines += [f"{place} output {value.name}" for value in graph.output]
    lines += [f"{place} initializer {tensor.name} {describe(tensor, folder)}" for tensor in graph.initializer]
    dump_nodes(graph.node, place, folder, lines)


def dump_with_onnx(path):
    model = onnx.load(path, load_external_data=False)
    if any(graph.sparse_initializer for graph in [model.graph]):
        raise Unreadable("sparse initializers")
    lines = []
    for opset in model.opset_import:
        domain = "" if opset.domain == "ai.onnx" else opset.domain
        lines.append(f"opset {domain} {opset.version}")
    if not model.opset_import:
        lines.append("opset  1")
    dump_graph(model.graph, "graph", os.path.dirname(path), lines)
    for function in model.functions:
        place = f"function {function.domain}:{function.name}"
        lines += [f"{place} input {name}" for name in function.input]
        lines += [f"{place} output {name}" for name in function.output]
        dump_nodes(function.node, place, os.path.dirname(path), lines)
    return lines


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    counts = collections.Counter()
    for folder in folders:
        if not os.path.isdir(folder):
            print(f"SKIPPED: there is no {folder}")
            continue
        for path in sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True)):
            if os.path.basename(os.path.dirname(path)) == "broken":
                continue
            counts["models"] += 1
            result = subprocess.run([program, path], capture_output=True, timeout=60, check=False)
            if result.returncode != 0:
                counts["failed"] += 1
                print(result.stderr.decode("utf-8", "replace").strip()[:300])
                continue
            try:
                expected = sorted(dump_with_onnx(path))
            except Unreadable as reason:
                counts["not supported by the onnx package"] += 1
                print(f"{path}: not compared: {reason}")
                continue
            found = sorted(result.stdout.decode("utf-8", "replace").rstrip("\n").split("\n")[1:])
            if found != expected:
                counts["failed"] += 1
                missing = list((collections.Counter(expected) - collections.Counter(found)).elements())
                extra = list((collections.Counter(found) - collections.Counter(expected)).elements())
                print(f"{path}: not read: {missing[:3]}; read: {extra[:3]}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()) or "no models")
    if not counts["models"]:
        return 77
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
