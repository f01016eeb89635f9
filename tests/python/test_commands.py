# Commands of the Python package: reports as dicts, options, flags, messages and progress.
import inspect
import json
import subprocess

import pytest

import ortool


def test_inspect_gives_the_document_of_the_program(digits_path, program):
    report = ortool.inspect(digits_path)
    printed = json.loads(subprocess.run([program, "inspect", "--json", str(digits_path)], check=True, capture_output=True).stdout)
    for key in ("model", "graph", "summary"):
        assert report[key] == printed[key]


def test_optimize_writes_what_the_program_writes(digits_path, program, tmp_path):
    steps = []
    report = ortool.optimize(digits_path, tmp_path / "a.onnx", on_progress=lambda *step: steps.append(step))
    subprocess.run([program, "optimize", "--quiet", str(digits_path), "-o", str(tmp_path / "b.onnx")], check=True)
    assert report["exit_code"] == 0
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    assert any(name == "verifying" for name, done, total in steps)


def test_bench_measures(digits_path):
    report = ortool.bench(digits_path, threads=1, duration="0.1s")
    assert report["command"] == "bench" and report["exit_code"] == 0


def test_options_flags_and_messages_reach_the_command(digits_path, tmp_path):
    messages = []
    report = ortool.quantize(digits_path, tmp_path / "a.onnx", allow_random_calibration=True, samples=4,
                             on_message=lambda kind, text: messages.append((kind, text)))
    assert report["exit_code"] == 0
    assert any(kind == "warning" for kind, text in messages)
    with pytest.raises(ortool.Error, match="smaples"):
        ortool.quantize(digits_path, tmp_path / "a.onnx", smaples=4)
    assert "<html" in ortool.inspect(digits_path, format="html")


def test_everything_public_has_a_docstring():
    for name in ortool.__all__:
        assert inspect.getdoc(getattr(ortool, name)), name
