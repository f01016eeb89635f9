# Feedback of the Python package: outputs that are the next run's inputs, on the cpu and on the emulated GPU.
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy
import onnx.parser
import pytest

import ortool

DECODER = """g (float[1,1,3] x, float[1,P,3] past, float[2,3] state) => (float[1,3] y, float[1,Q,3] present, float[2,3] next)
    <int64[1] rows = {1}> {
      h = Mul (x, x)
      present = Concat <axis = 1> (past, h)
      s = ReduceMax <axes = [1], keepdims = 0> (present)
      next = Add (state, s)
      t = ReduceMax <axes = [0], keepdims = 1> (next)
      y = Sub (t, s)
    }"""
PAIRS = {"present": "past", "next": "state"}
START = {"past": numpy.zeros((1, 0, 3), numpy.float32), "state": numpy.ones((2, 3), numpy.float32)}


def step_inputs(step):
    return {"x": numpy.full((1, 1, 3), step, numpy.float32)}


def test_fed_values_are_those_of_a_loop_over_arrays(make_session):
    session = make_session(DECODER)
    feedback = ortool.Feedback(session, PAIRS)
    past, state = START["past"], START["state"]
    for step in range(5):
        y, past, state = session.run(None, {**step_inputs(step), "past": past, "state": state})
        (found,) = session.run(["y"], {**step_inputs(step), **(START if step == 0 else {})}, feedback=feedback)
        assert numpy.array_equal(found, y)
    assert numpy.array_equal(feedback.fetch("present"), past)
    feedback.set("past", START["past"])
    feedback.set("state", [[1, 1, 1], [1, 1, 1]])
    assert numpy.array_equal(session.run(["y"], step_inputs(0), feedback=feedback)[0], [[1, 1, 1]])


def test_the_array_of_a_first_value_may_change_after_the_run(make_session):
    session = make_session("g (float[2] x, float[2] s) => (float[2] y, float[2] n) { n = Identity(s)  y = Add(x, s) }")
    feedback = ortool.Feedback(session, {"n": "s"})
    state = numpy.array([1, 2], numpy.float32)
    x = numpy.zeros(2, numpy.float32)
    session.run(["y"], {"x": x, "s": state}, feedback=feedback)
    state[:] = 9
    assert session.run(["y"], {"x": x}, feedback=feedback)[0].tolist() == [1, 2]


def test_wrong_feedback_is_an_error(make_session, digits_path):
    session = make_session(DECODER)
    with pytest.raises(ortool.Error, match="no output 'presents'"):
        ortool.Feedback(session, {"presents": "past"})
    with pytest.raises(ortool.Error, match="input 'past' is fed twice"):
        ortool.Feedback(session, {"present": "past", "next": "past"})
    with pytest.raises(TypeError, match="a Session is expected"):
        ortool.Feedback(digits_path, PAIRS)
    with pytest.raises(TypeError, match="Feedback or None"):
        session.run(None, step_inputs(0), feedback=PAIRS)
    feedback = ortool.Feedback(session, PAIRS)
    with pytest.raises(ortool.Error, match="another session"):
        make_session(DECODER).run(None, {**step_inputs(0), **START}, feedback=feedback)
    with pytest.raises(ortool.Error, match="has not been fed back"):
        feedback.fetch("present")
    with pytest.raises(ortool.Error, match="input 'x' is not fed"):
        feedback.set("x", step_inputs(0)["x"])
    with pytest.raises(RuntimeError, match="has not been created"):
        session.run(None, step_inputs(0), feedback=ortool.Feedback.__new__(ortool.Feedback))


def test_a_feedback_outlives_the_name_of_its_session(make_session):
    feedback = ortool.Feedback(make_session(DECODER), PAIRS)
    with pytest.raises(ortool.Error, match="has not been fed back"):
        feedback.fetch("next")


def test_threads_take_turns_or_get_an_error(make_session):
    session = make_session(DECODER)
    feedback = ortool.Feedback(session, PAIRS)
    session.run(None, {**step_inputs(0), **START}, feedback=feedback)
    refused = []

    def run():
        for step in range(50):
            try:
                session.run(["y"], step_inputs(step), feedback=feedback)
            except RuntimeError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("make one for each thread" in text for text in refused)
    assert feedback.fetch("present").shape[1] == 1 + 150 - len(refused)


def test_caches_stay_on_the_emulated_device(tmp_path):
    folder = pathlib.Path(os.environ["ORTOOL_PROGRAM"]).parents[1] / "lib" / "emulated_cuda"
    if not (folder / "libortool_cuda.so").exists():
        pytest.skip("the build has no emulated device")
    path = tmp_path / "decoder.onnx"
    path.write_bytes(onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 17]> ' + DECODER).SerializeToString())
    code = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import ortool, test_feedback as own
session = ortool.Session({str(path)!r}, provider="cuda,cpu", strict_provider=True)
feedback = ortool.Feedback(session, own.PAIRS)
for step in range(int(sys.argv[1])):
    y, present, following = session.run(None, {{**own.step_inputs(step), **(own.START if step == 0 else {{}})}}, feedback=feedback)
    assert present is None and following is None
print(y.tolist(), feedback.fetch("present").shape)
"""
    counts = []
    for steps in (2, 6):
        done = subprocess.run([sys.executable, "-c", code, str(steps)], check=True, capture_output=True, text=True,
                              env={**os.environ, "ORTOOL_PROVIDER_PATH": str(folder), "ORTOOL_EMULATION_COUNTS": "1"})
        assert done.stdout.endswith(f" (1, {steps}, 3)\n")
        counts.append([int(count) for count in re.search(r"(\d+) uploads .* (\d+) downloads", done.stderr).groups()])
    # In each later step x goes in, and y comes out.
    assert [after - before for before, after in zip(*counts)] == [4, 4]
