# Sizes of quantized files of real models: weights, overhead per node, and the whole file.
"""Usage: check_quantized_sizes.py PROGRAM MODELS   (exit 77: nothing to check)

Sizes do not depend on data, so generated data suffice. Weights with their scales and zero points may take 0.26 of the
floats' size, nodes and names 400 more bytes per quantized node, and a model from 10 MB on 0.27 of its original file.
The report's own figures are checked against the files.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

_MODELS = ["mobilenetv2-imagenet-fp32", "squeezenet-imagenet-fp32"]
_FORMS = {"static": ["--allow-random-calibration", "--samples", "1"], "dynamic": ["--mode", "dynamic", "--only", "*"],
          "weight-only": ["--mode", "weight-only"]}
_MOST_WEIGHTS, _MOST_FILE, _MOST_NODE_BYTES = 0.26, 0.27, 400
_LARGE_BYTES = 10_000_000


def weight_bytes(model):
    """Bytes of 8-bit matrices with their scales and zero points, and bytes of the same matrices as floats."""
    constants = {each.name: each for each in model.graph.initializer}
    arrays = {name: numpy_helper.to_array(each) for name, each in constants.items()}
    counted, floats = set(), 0
    places = {"DequantizeLinear": (0, 1, 2), "ConvInteger": (1, 3), "MatMulInteger": (1, 3)}
    for node in model.graph.node:
        read = [node.input[i] for i in places.get(node.op_type, ()) if i < len(node.input)]
        if not read or read[0] not in arrays or arrays[read[0]].itemsize != 1 or arrays[read[0]].ndim < 2:
            continue
        if read[0] not in counted:
            floats += 4 * arrays[read[0]].size
        counted.update(name for name in read if name in arrays)
    return sum(arrays[name].nbytes for name in counted), floats


def check(program, path, form, folder):
    output = os.path.join(folder, "out.onnx")
    done = subprocess.run([program, "quantize", path, "-o", output, "--force", "--json", "-q", *_FORMS[form]],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [done.stderr or done.stdout]
    told = json.loads(done.stdout)
    model = onnx.load(output)
    levels, floats = weight_bytes(model)
    size = os.path.getsize(output)
    source = os.path.getsize(path)
    added = (told["after"]["graph_bytes"] - told["before"]["graph_bytes"]) / max(1, told["quantized_nodes"])
    print(f"{os.path.basename(os.path.dirname(path))} {form}: weights {levels / floats:.4f}, file {size / source:.4f}, "
          f"{added:.0f} more bytes per node", flush=True)
    problems = []
    if levels > _MOST_WEIGHTS * floats:
        problems.append(f"weights take {levels / floats:.4f} of their floats")
    if source >= _LARGE_BYTES and size > _MOST_FILE * source:
        problems.append(f"the file takes {size / source:.4f}")
    if added > _MOST_NODE_BYTES:
        problems.append(f"{added:.0f} bytes a node")
    tensors = sum(int(np.prod(each.dims, dtype=np.int64)) * numpy_helper.to_array(each).itemsize
                  for each in model.graph.initializer)
    if told["after"]["bytes"] != size or told["output"]["bytes"] != size or told["before"]["bytes"] != source:
        problems.append(f"the report says {told['after']['bytes']} of {size} bytes")
    if told["after"]["tensor_bytes"] != tensors:
        problems.append(f"the report says {told['after']['tensor_bytes']} of {tensors} bytes of tensors")
    return problems


def main():
    program, models = sys.argv[1:3]
    failed, looked = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in _MODELS:
            path = os.path.join(models, name, "model.onnx")
            if not os.path.exists(path):
                print(f"SKIPPED: there is no {path}")
                continue
            looked += 1
            for form in _FORMS:
                for problem in check(program, path, form, folder):
                    print(f"{name} {form}: {problem}")
                    failed += 1
    return 1 if failed else 0 if looked else 77


if __name__ == "__main__":
    sys.exit(main())
