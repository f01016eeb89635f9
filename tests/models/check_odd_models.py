# Runs every command on small unusual models as exporters write them; onnxruntime loads the written files.
"""Usage: check_odd_models.py PROGRAM   (exit 77: nothing to compare with)

Each model of odd_models.py goes through run, inspect --check, bench, optimize and quantize. Outputs must equal those of
onnxruntime for the model itself, and written files must be valid for onnx.checker if the model is.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

from odd_models import accepted_models, valid_models

_TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}
_FORMS = {
    "optimize": (["optimize"], 1e-5),
    "optimize for ortool": (["optimize", "--target", "ortool"], 1e-5),
    "weight-only": (["quantize", "--mode", "weight-only"], 0.1),
    "weight-only of 4 bits": (["quantize", "--mode", "weight-only", "--weight-type", "int4"], 0.4),
    "MatMulNBits": (["quantize", "--mode", "weight-only", "--quant-format", "qoperator", "--weight-type", "int4"], 0.4),
    "weights outside": (["quantize", "--mode", "weight-only", "--external-data", "always"], 0.1),
    "dynamic": (["quantize", "--mode", "dynamic"], 0.15),
    "static": (["quantize", "--mode", "static"], 0.4),
}
# The other forms are for weights outside the bodies that read them.
_USUAL_FORMS = ("optimize", "weight-only", "static")


class Failure(Exception):
    pass


def call(program, *arguments, codes=(0,)):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise Failure(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()[:400]}")
    return done


def random_inputs(model):
    generator = np.random.default_rng(11)
    sets = []
    for flag in (True, False):
        values = {}
        for each in model.graph.input:
            shape = [size.dim_value or 3 for size in each.type.tensor_type.shape.dim]
            kind = each.type.tensor_type.elem_type
            values[each.name] = (np.array(flag) if kind == onnx.TensorProto.BOOL else
                                 np.array(2) if kind == onnx.TensorProto.INT64 else
                                 generator.standard_normal(shape).astype(np.float32))
        sets.append(values)
    return sets


def is_valid(path):
    try:
        onnx.checker.check_model(path)
        return True
    except Exception:  # any finding of the checker
        return False


def outputs_of_ortool(program, path, values, folder):
    arguments = []
    for name, array in values.items():
        file = os.path.join(folder, f"{name}.npy")
        np.save(file, array)
        arguments += ["--input", f"{name}={file}"]
    out = os.path.join(folder, "out")
    call(program, "run", path, *arguments, "--output-dir", out, "--output-format", "npy", "-q")
    return np.load(os.path.join(out, "output_0.npy"))


def outputs_of_onnxruntime(path, values):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, values)[0]


def compare(found, expected, tolerance, what):
    if found.shape != expected.shape:
        raise Failure(f"{what}: shape {found.shape} (expected {expected.shape})")
    largest = np.abs(expected).max()
    error = np.abs(found - expected).max()
    if not error <= tolerance * largest:
        raise Failure(f"{what}: off by {error:.3g} of {largest:.3g}")


def check_form(program, path, form, sets, expected, must_be_valid, folder):
    arguments, tolerance = _FORMS[form]
    written = os.path.join(folder, "written.onnx")
    if form == "static":
        arguments = [*arguments, "--calibration-data", os.path.join(folder, "samples")]
    call(program, *arguments, path, "-o", written, "-q")
    if must_be_valid and form != "optimize for ortool" and not is_valid(written):
        raise Failure(f"{form}: onnx.checker rejects the written file")
    compare(outputs_of_ortool(program, written, sets[0], folder), expected[0], tolerance, f"{form}, in ortool")
    for values, wanted in zip(sets, expected):
        if form != "optimize for ortool":
            compare(outputs_of_onnxruntime(written, values), wanted, tolerance, f"{form}, in onnxruntime")
    return {each.domain: each.version for each in onnx.load(written, load_external_data=False).opset_import}[""]


def check(program, name, model, is_accepted):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{name}.onnx")
        onnx.save(model, path)
        if is_valid(path) == is_accepted:
            raise Failure("onnx.checker's verdict on the model itself differs from odd_models.py")
        sets = random_inputs(model)
        os.mkdir(os.path.join(folder, "samples"))
        for i, values in enumerate(sets):
            np.savez(os.path.join(folder, "samples", f"{i}.npz"), **values)
        if name == "unsorted-body":
            expected = [outputs_of_ortool(program, path, values, folder) for values in sets]
        else:
            expected = [outputs_of_onnxruntime(path, values) for values in sets]
        for values, wanted in zip(sets, expected):
            compare(outputs_of_ortool(program, path, values, folder), wanted, 1e-5, "run")
        found = json.loads(call(program, "inspect", "--check", "--json", path).stdout)["findings"]
        if is_accepted and not any(each["severity"] == "warning" for each in found):
            raise Failure("inspect --check warns of nothing")
        call(program, "bench", path, "--duration", "0.02", "-q", codes=(0, 3))
        has_bodies = any(node.op_type in ("If", "Loop") for node in model.graph.node)
        forms = _FORMS if has_bodies else _USUAL_FORMS
        opsets = {form: check_form(program, path, form, sets, expected, not is_accepted, folder) for form in forms}
        if name == "layer-norm-11" and opsets["weight-only"] != 17:
            raise Failure(f"quantized in opset {opsets['weight-only']} (expected 17)")


def main():
    program = sys.argv[1]
    failed = 0
    for is_accepted, models in ((False, valid_models()), (True, accepted_models())):
        for name, model in models:
            try:
                check(program, name, model, is_accepted)
            except Failure as failure:
                failed += 1
                print(f"{name}: {failure}")
            except Exception as error:  # onnxruntime raises many types
                failed += 1
                print(f"{name}: {str(error)[:400]}")
    print(f"{failed} of the models failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
