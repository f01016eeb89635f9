# Fixes the shapes of real models: no shape computation may be left.
"""Usage: check_fixed_shapes.py PROGRAM MODELS_FOLDER   (exit 77: nothing to check)

Shapes are taken from the models' test data, so that the outputs are compared too.

A node is a shape computation if none of its inputs depends on data: Shape and Size, and nodes that read only their
results and constants. Each original model has such nodes, also in subgraphs; optimized with fixed shapes it has none.
"""
import os
import subprocess
import sys
import tempfile

try:
    import onnx
except ImportError:
    print("SKIPPED: this Python has no onnx package")
    sys.exit(77)

MODELS = {
    "ultraface-rfb320": [],
    "ultraface-rfb320-nms": [],
    "ppocr-en-number-rec": ["--shape", "x=1,3,32,185"],
    "ppocrv3-det": ["--shape", "x=1,3,416,640"],
    "yunet-dynamic": ["--dim", "batch=1", "--dim", "height=256", "--dim", "width=320"],
    "tinybert-tribuo": ["--dim", "batch=2", "--dim", "sequence=12"],
    "decoder-cross-attn-vespa": ["--dim", "batch=1", "--dim", "target_tokens=4", "--dim", "source_tokens=7"],
}


def shape_nodes(graph, outer=frozenset()):
    """The nodes of a graph that compute with shapes, except Constant nodes."""
    constants = {tensor.name for tensor in graph.initializer}
    data = set(outer) | {value.name for value in graph.input if value.name not in constants}
    found = []
    for node in graph.node:
        bodies = [body for attribute in node.attribute for body in [attribute.g, *attribute.graphs] if body.node]
        reads_data = any(name in data for name in node.input) or bool(bodies)
        if reads_data and node.op_type not in ("Shape", "Size"):
            data.update(node.output)
        elif node.op_type != "Constant":
            found.append(f"{node.op_type} {node.output[0]}")
        for body in bodies:
            found += shape_nodes(body, data)
    return found


def main():
    program, folder = sys.argv[1:]
    failed = count = 0
    for name, options in MODELS.items():
        path = os.path.join(folder, name, "model.onnx")
        if not os.path.exists(path):
            continue
        count += 1
        with tempfile.TemporaryDirectory() as scratch:
            output = os.path.join(scratch, "fixed.onnx")
            subprocess.run([program, "optimize", path, "-o", output, "--verify", "1", "-q", *options], check=True,
                           stdout=subprocess.DEVNULL)
            before = shape_nodes(onnx.load(path, load_external_data=False).graph)
            left = shape_nodes(onnx.load(output, load_external_data=False).graph)
        print(f"{name}: {len(before)} -> {len(left)} {' '.join(left[:5])}", flush=True)
        failed += bool(left) or not before
    if count == 0:
        print("SKIPPED: no models")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
