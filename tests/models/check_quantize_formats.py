# Small networks quantized in every mode: onnxruntime loads the files and agrees, and errors are small.
"""usage: check_quantize_formats.py PROGRAM TYPE   (float32, float16, bfloat16 or float64; exit 77: nothing to compare)

Each network is calibrated on twelve samples. Prints a line for each form: signal-to-noise ratio against the float model
and against onnxruntime, in decibels, and the file size.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
try:
    import ml_dtypes
    import numpy as np
    import onnx
    import onnxruntime
    import quantize_nets
    from onnxruntime_saturation import onnxruntime_saturates
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

_SAMPLES = 12
_COMPARED = 2
_MOST_NODE_BYTES = 400
# For each form: options, and the minimum signal-to-noise ratio against the float model and against onnxruntime. Between
# quantized activations, differences of one code are common; where everything is computed in floats, there are none.
_FORMS = {
    "static": ([], 20, 28),
    "int8": (["--activation-type", "int8"], 24, 28),
    "int16": (["--activation-type", "int16"], 28, 60),
    "symmetric": (["--symmetric-activations"], 18, 28),
    "per tensor": (["--per-tensor"], 20, 28),
    "uint8 weights": (["--weight-type", "uint8"], 24, 28),
    "int4 weights": (["--weight-type", "int4"], 4, 28),
    "qoperator": (["--quant-format", "qoperator"], 20, 28),
    "qoperator int8": (["--quant-format", "qoperator", "--activation-type", "int8"], 24, 28),
    "qoperator uint8": (["--quant-format", "qoperator", "--weight-type", "uint8", "--per-tensor"], 20, 28),
    "dynamic": (["--mode", "dynamic"], 24, 28),
    "weights": (["--mode", "weight-only"], 28, 80),
    "weights uint8": (["--mode", "weight-only", "--weight-type", "uint8"], 28, 80),
    "weights in blocks": (["--mode", "weight-only", "--block-size", "16"], 28, 80),
    "weights int4": (["--mode", "weight-only", "--weight-type", "int4"], 4, 80),
    "nbits 8": (["--mode", "weight-only", "--quant-format", "qoperator"], 28, 80),
    "nbits 4": (["--mode", "weight-only", "--quant-format", "qoperator", "--weight-type", "int4"], 4, 80),
}
# The same codes in another form: at most this far below the QDQ form with the same settings.
_MOST_BELOW_QDQ = 0.5
_QDQ_FORMS = {"qoperator": "static", "qoperator int8": "int8"}
# Other float types differ only in the conversion to float32, which is the same for all forms of a mode.
_FORMS_OF_OTHERS = ("static", "qoperator", "dynamic", "weights", "weights int4", "nbits 4")


def decibels(found, expected):
    found, expected = (np.asarray(each).astype(np.float64) for each in (found, expected))
    noise = ((found - expected) ** 2).sum()
    return 200.0 if noise == 0 else 10 * np.log10((expected**2).sum() / noise)


def least_decibels(found, expected):
    return min(decibels(*pair) for one, other in zip(found, expected) for pair in zip(one, other))


class Case:
    """One network on disk with its samples."""

    def __init__(self, program, folder, kind, make):
        self.program, self.folder, self.kind = program, folder, kind
        self.model, generators = make(quantize_nets.Net(kind, 7))
        self.path = os.path.join(folder, "float.onnx")
        onnx.save(self.model, self.path)
        random = np.random.default_rng(1)
        made = [{name: make(random) for name, make in generators.items()} for _ in range(_SAMPLES)]
        floats = quantize_nets.NUMPY_TYPES[kind]
        self.samples = [{name: array.astype(floats) if array.dtype == np.float32 else array
                         for name, array in sample.items()} for sample in made]
        self.files = [{name: self.write(f"{name}{index}", array) for name, array in sample.items()}
                      for index, sample in enumerate(self.samples)]
        self.data = os.path.join(folder, "set.json")
        with open(self.data, "w", encoding="utf-8") as file:
            json.dump({"samples": [{"inputs": files} for files in self.files]}, file)

    def write(self, name, array):
        path = os.path.join(self.folder, name)
        if array.dtype != ml_dtypes.bfloat16:
            np.save(path + ".npy", array)
            return path + ".npy"
        tensor = onnx.helper.make_tensor(name, onnx.TensorProto.BFLOAT16, array.shape, array.tobytes(), raw=True)
        with open(path + ".pb", "wb") as file:
            file.write(tensor.SerializeToString())
        return path + ".pb"

    def run(self, path):
        results = []
        for files in self.files[:_COMPARED]:
            feeds = [part for name, file in files.items() for part in ("--input", f"{name}={file}")]
            out = os.path.join(self.folder, "out")
            done = subprocess.run([self.program, "run", path, *feeds, "--output-dir", out, "--output-format", "pb", "-q"],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
            results.append([self.read(os.path.join(out, f"output_{i}.pb")) for i in range(len(self.model.graph.output))])
        return results

    def read(self, path):
        tensor = onnx.TensorProto()
        with open(path, "rb") as file:
            tensor.ParseFromString(file.read())
        if tensor.data_type != quantize_nets.ONNX_TYPES[self.kind]:
            raise RuntimeError(f"an output is of type {tensor.data_type}")
        return onnx.numpy_helper.to_array(tensor).astype(np.float64)

    def run_peer(self, path):
        """onnxruntime's outputs; None if it cannot run the model."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        # Otherwise it rounds the inputs of products with stored weights to 8 bits.
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
        if onnxruntime_saturates():
            # Then it computes QDQ nodes in float, not by integer products.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        if self.kind == "bfloat16":
            return None
        return [session.run(None, sample) for sample in self.samples[:_COMPARED]]

    def can_run_peer(self):
        try:
            return self.run_peer(self.path) is not None
        except Exception:  # pylint: disable=broad-exception-caught
            return False

    def quantize(self, form):
        options = _FORMS[form][0]
        out = os.path.join(self.folder, form.replace(" ", "_") + ".onnx")
        data = [] if "--mode" in options else ["--calibration-data", self.data]
        # 8-bit weights on every processor.
        target = [] if "weight-only" in options else ["--target-isa", "vnni"]
        done = subprocess.run([self.program, "quantize", self.path, "-o", out, "--json", "-q", *data, *target, *options],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr or done.stdout)
        return out, json.loads(done.stdout)


def check(case, form, expected, has_peer, figures):
    """A line of figures, and the problems; stores the form's own figure in `figures`."""
    out, document = case.quantize(form)
    least_floats, least_peer = _FORMS[form][1:]
    findings = []
    found = case.run(out)
    own = least_decibels(found, expected)
    if own < least_floats:
        findings.append(f"{own:.1f} dB against the float model (at least {least_floats})")
    figures[form] = own
    # Integer operators of int8 weights in the file itself.
    is_inexact = has_peer and onnxruntime_saturates() and form in ("dynamic", "qoperator", "qoperator int8")
    has_peer = has_peer and not is_inexact
    qdq = figures.get(_QDQ_FORMS.get(form))
    if qdq is not None and own < qdq - _MOST_BELOW_QDQ:
        findings.append(f"{own:.1f} dB against the float model, {qdq:.1f} in QDQ form")
    peer = least_decibels(found, case.run_peer(out)) if has_peer else float("nan")
    if peer < min(least_peer, 45 if case.kind == "float16" else 200):
        findings.append(f"{peer:.1f} dB against onnxruntime (at least {least_peer})")
    structure = os.path.getsize(out) - document["after"]["tensor_bytes"]
    before = os.path.getsize(case.path) - document["before"]["tensor_bytes"]
    added = (structure - before) / max(1, document["quantized_nodes"])
    if added > _MOST_NODE_BYTES:
        findings.append(f"{added:.0f} bytes per quantized node besides tensors (at most {_MOST_NODE_BYTES})")
    return f"{own:6.1f} dB {peer:6.1f} dB {added:5.0f} bytes a node{' (onnxruntime saturates here)' if is_inexact else ''}", findings


def main():
    program, kind = sys.argv[1:]
    failures = 0
    for make in quantize_nets.NETS:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(program, folder, kind, make)
            expected = case.run(case.path)
            # onnxruntime 1.31 crashes on LSTM in float16.
            has_peer = (kind, make.__name__) != ("float16", "recurrent") and case.can_run_peer()
            figures = {}
            for form in _FORMS if kind == "float32" else _FORMS_OF_OTHERS:
                try:
                    line, findings = check(case, form, expected, has_peer, figures)
                except Exception as error:  # pylint: disable=broad-exception-caught
                    line, findings = "", [str(error).strip()[:300]]
                failures += len(findings)
                print(f"{make.__name__:12}{form:18}{line} {'; '.join(findings)}", flush=True)
    print(f"{failures} findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
