# The steps of check_models.py for each model, and the comparison with onnxruntime.
import glob
import json
import os
import subprocess

import numpy
import onnx
import onnxruntime

_TIMEOUT_SECONDS = 300
# For quantized files, where rounding ties may round either way; the same limits as in tests/models/quantize_random.py.
_MOST, _MEAN = 0.03, 0.003
_LEAST_COSINE = 0.999
_LEAST_EQUAL = 0.97


class Model:
    """A folder of make_models.py, a scratch folder for derived models, and onnxruntime's outputs."""

    def __init__(self, program, folder, scratch):
        self.program, self.folder, self.scratch = program, folder, scratch
        self.path = os.path.join(folder, "model.onnx")
        self.sets = sorted(glob.glob(os.path.join(folder, "test_data_set_*")))
        proto = onnx.load(self.path)
        operators, types = set(), set()
        collect(proto.graph, operators, types)
        for function in proto.functions:
            collect(function, operators, types)
        self.is_quantized = any("Quantize" in name or "Integer" in name or "NBits" in name for name in operators)
        self.is_half = onnx.TensorProto.FLOAT16 in types
        initialized = {tensor.name for tensor in proto.graph.initializer}
        self.names = [value.name for value in proto.graph.input if value.name not in initialized]
        self.feeds = [{name: read_tensor(os.path.join(folder, f"input_{i}.pb")) for i, name in enumerate(self.names)}
                      for folder in self.sets]
        # Beside a model that onnxruntime's CPU provider does not run lies another that gave the outputs.
        if os.path.exists(os.path.join(folder, "reference.onnx")):
            self.expected = [[read_tensor(os.path.join(folder, f"output_{i}.pb")) for i in range(len(proto.graph.output))]
                             for folder in self.sets]
            self.has_peer = runs_in_onnxruntime(self.path, self.feeds[0])
        else:
            session = open_session(self.path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
            self.expected = [session.run(None, feeds) for feeds in self.feeds]
            self.has_peer = True

    def place(self, name):
        return os.path.join(self.scratch, name)

    def call(self, *arguments):
        """The problem if the exit code is not 0, and the JSON document."""
        done = subprocess.run([self.program, *arguments, "--json", "-q"], capture_output=True, text=True, errors="replace",
                              timeout=_TIMEOUT_SECONDS, check=False)
        try:
            document = json.loads(done.stdout)
        except json.JSONDecodeError:
            document = {}
        if done.returncode == 0:
            return None, document
        errors = [error["message"] for error in document.get("errors") or []]
        return f"exit code {done.returncode}: {'; '.join(errors) or done.stderr[:200]}", document


def collect(graph, operators, types):
    """The operators and element types of a graph or function, subgraphs included."""
    types.update(tensor.data_type for tensor in getattr(graph, "initializer", []))
    types.update(value.type.tensor_type.elem_type for value in getattr(graph, "input", []) if hasattr(value, "type"))
    for node in graph.node:
        operators.add(node.op_type)
        for attribute in node.attribute:
            if attribute.name == "to":
                types.add(attribute.i)
            if attribute.HasField("t"):
                types.add(attribute.t.data_type)
            if attribute.HasField("g"):
                collect(attribute.g, operators, types)


def open_session(path, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    # Otherwise it rounds the inputs of products with blockwise weights to 8 bits.
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def runs_in_onnxruntime(path, feeds):
    try:
        open_session(path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run(None, feeds)
        return True
    except Exception:  # its exceptions share no other base class
        return False


def read_tensor(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return onnx.numpy_helper.to_array(tensor)


def differences(found, expected, judge):
    """None, or the first output that `judge` rejects; sequences and maps are compared as text."""
    for index, (one, other) in enumerate(zip(found, expected, strict=True)):
        if not isinstance(other, numpy.ndarray):
            if repr(one) != repr(other):
                return f"output {index}: {one!r:.80} instead of {other!r:.80}"
            continue
        if one.shape != other.shape or one.dtype != other.dtype:
            return f"output {index}: {one.dtype}{one.shape} instead of {other.dtype}{other.shape}"
        problem = judge(one, other)
        if problem:
            return f"output {index}: {problem}"
    return None


def judge_floats(rtol, share):
    def judge(one, other):
        if not numpy.issubdtype(other.dtype, numpy.floating):
            return None if (one == other).all() else f"{(one != other).sum()} of {one.size} elements differ"
        one, other = one.astype(float), other.astype(float)
        finite = numpy.abs(other[numpy.isfinite(other)])
        most = float(finite.max()) if finite.size else 0.0
        if numpy.allclose(one, other, rtol=rtol, atol=share * most, equal_nan=True):
            return None
        return f"off by {numpy.nanmax(numpy.abs(one - other)):.3g} of {most:.3g}"
    return judge


def judge_cosine(one, other):
    """The criterion of `run --test` for quantized models."""
    if not numpy.issubdtype(other.dtype, numpy.floating):
        return None if (one == other).mean() >= _LEAST_EQUAL else f"{(one != other).sum()} of {one.size} elements differ"
    one, other = one.astype(float).ravel(), other.astype(float).ravel()
    lengths = numpy.linalg.norm(one) * numpy.linalg.norm(other)
    cosine = 1.0 if lengths == 0 else float(one @ other) / lengths
    return None if cosine >= _LEAST_COSINE else f"cosine {cosine:.5f}"


def judge_levels(one, other):
    if not numpy.issubdtype(other.dtype, numpy.floating):
        return None if one.size == 0 or (one == other).mean() >= _LEAST_EQUAL else \
            f"{(one != other).sum()} of {one.size} elements differ"
    if other.size == 0:
        return None
    one, other = (numpy.nan_to_num(each.astype(float), posinf=0, neginf=0) for each in (one, other))
    gaps = numpy.abs(one - other) / max(float(numpy.abs(other).max()), 1e-6)
    if gaps.max() <= _MOST and gaps.mean() <= _MEAN:
        return None
    return f"differs from onnxruntime by up to {gaps.max():.4f}, {gaps.mean():.5f} on average, of the largest magnitude"


def judge_of(model):
    if model.is_quantized:
        return judge_cosine
    return judge_floats(2e-2, 1e-2) if model.is_half else judge_floats(1e-3, 1e-4)


def check(model):
    problem, document = model.call("inspect", model.path, "--check")
    if problem is None:
        return None
    found = [f"{each['rule']}: {each['message']}" for each in document.get("findings", []) if each["severity"] == "error"]
    return f"{problem} {'; '.join(found)[:300]}"


def run_at(level):
    def step(model):
        problem, document = model.call("run", model.path, "--test", "--optimize", level)
        if problem is None:
            return None
        reasons = [f"{output['name']}: {output['reason']}" for test in document.get("tests") or []
                   for output in test["outputs"] if output.get("reason")]
        return f"{problem} {'; '.join(reasons)[:300]}"
    return step


def run_peer(model, path, judge):
    """onnxruntime's outputs for a file derived from the model, against those for the model."""
    if not model.has_peer:
        problems = (differences(run_own(model, path, index), expected, judge) for index, expected in enumerate(model.expected))
        return next((problem for problem in problems if problem), None)
    session = open_session(path)
    for feeds, expected in zip(model.feeds, model.expected):
        problem = differences(session.run(None, feeds), expected, judge)
        if problem is None:
            continue
        # onnxruntime's own optimizations may cause the difference.
        own = open_session(model.path).run(None, feeds)
        if differences(own, expected, judge) is None or differences(session.run(None, feeds), own, judge) is not None:
            return f"in onnxruntime: {problem}"
    return None


def optimize_with(*options):
    def step(model):
        path = model.place("optimized.onnx")
        feeds = [part for i, name in enumerate(model.names)
                 for part in ("--input", f"{name}={os.path.join(model.sets[0], f'input_{i}.pb')}")]
        problem, _ = model.call("optimize", model.path, "-o", path, "--force", *feeds, *options)
        return problem or run_peer(model, path, judge_of(model))
    return step


def run_own(model, path, index):
    out = model.place("out")
    feeds = [part for i, name in enumerate(model.names)
             for part in ("--input", f"{name}={os.path.join(model.sets[index], f'input_{i}.pb')}")]
    problem, document = model.call("run", path, *feeds, "--output-dir", out, "--output-format", "pb")
    if problem:
        raise RuntimeError(f"run: {problem}")
    del document
    return [read_tensor(os.path.join(out, f"output_{i}.pb")) for i in range(len(model.expected[index]))]


def quantize_with(*options):
    def step(model):
        path = model.place("quantized.onnx")
        problem, _ = model.call("quantize", model.path, "-o", path, "--force", *calibration(model, options))
        if problem:
            return problem
        # With and without onnxruntime's own optimizations, which may flip rounding ties.
        if not model.has_peer:
            problems = (differences(run_own(model, path, index), expected, judge_cosine) for index, expected in enumerate(model.expected))
            return next((problem for problem in problems if problem), None)
        sessions = [open_session(path), open_session(path, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)]
        for index, feeds in enumerate(model.feeds):
            if not all(isinstance(each, numpy.ndarray) for each in model.expected[index]):
                continue
            found = run_own(model, path, index)
            problems = [differences(found, session.run(None, feeds), judge_levels) for session in sessions]
            if all(problems):
                return problems[0]
        return None
    return step


def calibration(model, options):
    if "static" not in options:
        return options
    rows = [{"inputs": {name: os.path.join(folder, f"input_{i}.pb") for i, name in enumerate(model.names)}}
            for folder in model.sets]
    manifest = model.place("MANIFEST.json")
    with open(manifest, "w", encoding="utf-8") as file:
        json.dump({"samples": rows}, file)
    return [*options, "--calibration-data", manifest, "--recipe", "fast"]


STEPS = {
    "check": check,
    "none": run_at("none"),
    "basic": run_at("basic"),
    "extended": run_at("extended"),
    "all": run_at("all"),
    "opt-basic": optimize_with("--level", "basic"),
    "opt-default": optimize_with(),
    "to-onnx": optimize_with("--target", "onnx"),
    "to-onnxruntime": optimize_with("--target", "onnxruntime"),
    "dynamic": quantize_with("--mode", "dynamic"),
    "weight-only": quantize_with("--mode", "weight-only"),
    "static": quantize_with("--mode", "static"),
}
