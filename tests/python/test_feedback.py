# Feedback of the Python package: outputs that are the next run's inputs, and held inputs, on the cpu and on the emulated GPU.
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


CROSS = """g (float[2] x, float[2] states, float[2] cross) => (float[2] y, float[2] made)
    { a = Mul (x, states)  y = Add (a, cross)  made = Add (states, cross) }"""


def test_held_inputs_are_given_once(make_session):
    session = make_session(CROSS)
    feedback = ortool.Feedback(session, {}, held=["states"], held_outputs={"made": "cross"})
    x, states = numpy.array([1, 2], numpy.float32), numpy.array([10, 20], numpy.float32)
    with pytest.raises(ortool.Error, match="input 'states' .* is not given"):
        session.run(["y"], {"x": x, "cross": [1, 1]}, feedback=feedback)
    assert session.run(["y"], {"x": x, "states": states, "cross": [1, 1]}, feedback=feedback)[0].tolist() == [11, 41]
    states[:] = 0
    for step in range(3):
        assert session.run(["y"], {"x": x + step}, feedback=feedback)[0].tolist() == [21 + 10 * step, 61 + 20 * step]
    assert feedback.fetch("made").tolist() == [11, 21]
    feedback.set("states", [1, 1])
    feedback.set("cross", [5, 5])
    assert session.run(["y"], {"x": x}, feedback=feedback)[0].tolist() == [6, 7]


def test_wrong_held_inputs_are_errors(make_session):
    session = make_session(CROSS)
    with pytest.raises(ortool.Error, match="no input 'stats' to hold"):
        ortool.Feedback(session, {}, held=["stats"])
    with pytest.raises(ortool.Error, match="no output 'none'"):
        ortool.Feedback(session, {}, held_outputs={"none": "cross"})
    with pytest.raises(ortool.Error, match="'cross' is fed and held"):
        ortool.Feedback(session, {"made": "cross"}, held=["cross"])
    with pytest.raises(TypeError, match="list of names"):
        ortool.Feedback(session, {}, held="states")


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


def count_copies(tmp_path, model, code):
    """Uploads and downloads of an emulated device in each of the last four steps, of `code` with the steps as argument."""
    folder = pathlib.Path(os.environ["ORTOOL_PROGRAM"]).parents[1] / "lib" / "emulated_cuda"
    if not (folder / "libortool_cuda.so").exists():
        pytest.skip("the build has no emulated device")
    path = tmp_path / "decoder.onnx"
    path.write_bytes(onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 17]> ' + model).SerializeToString())
    head = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import ortool, test_feedback as own
session = ortool.Session({str(path)!r}, provider="cuda,cpu")
steps = int(sys.argv[1])
"""
    counts = []
    for steps in (2, 6):
        done = subprocess.run([sys.executable, "-c", head + code, str(steps)], check=True, capture_output=True, text=True,
                              env={**os.environ, "ORTOOL_PROVIDER_PATH": str(folder), "ORTOOL_EMULATION_COUNTS": "1"})
        counts.append([int(count) for count in re.search(r"(\d+) uploads .* (\d+) downloads", done.stderr).groups()])
    return [(after - before) / 4 for before, after in zip(*counts)]


def test_caches_stay_on_the_emulated_device(tmp_path):
    code = """
feedback = ortool.Feedback(session, own.PAIRS)
for step in range(steps):
    y, present, following = session.run(None, {**own.step_inputs(step), **(own.START if step == 0 else {})}, feedback=feedback)
    assert present is None and following is None
assert feedback.fetch("present").shape == (1, steps, 3)
"""
    # In each later step x goes in, and y comes out.
    assert count_copies(tmp_path, DECODER, code) == [1, 1]


# As optimum merges decoders: the first step makes what later ones read of the states, and those leave it empty.
MERGED = """g (float[1,1,3] x, float[2,3] states, float[1,P,3] past, float[E,3] cross, int64[1,2] mask, bool[1] use_cache_branch)
    => (float[1,3] y, float[1,Q,3] present, float[F,3] made) <float[0,3] none = {}> {
      y, present, made = If (use_cache_branch) <
        then_branch = later () => (float[1,3] y1, float[1,Q1,3] p1, float[F1,3] c1) {
          a1 = Mul (x, x)  p1 = Concat <axis = 1> (past, a1)  s1 = ReduceMax <axes = [1], keepdims = 0> (p1)
          m1 = Cast <to = 1> (mask)  v1 = MatMul (m1, cross)  y1 = Add (s1, v1)  c1 = Identity (none) },
        else_branch = first () => (float[1,3] y2, float[1,Q2,3] p2, float[F2,3] c2) {
          p2 = Mul (x, x)  s2 = ReduceMax <axes = [1], keepdims = 0> (p2)  c2 = Exp (states)
          m2 = Cast <to = 1> (mask)  v2 = MatMul (m2, c2)  y2 = Add (s2, v2) }>
    }"""
MERGED_START = {"states": numpy.ones((2, 3), numpy.float32), "mask": numpy.ones((1, 2), numpy.int64),
                "past": numpy.zeros((1, 0, 3), numpy.float32), "cross": numpy.zeros((0, 3), numpy.float32)}


def merged_feedback(session):
    return ortool.Feedback(session, {"present": "past"}, held=["states", "mask"], held_outputs={"made": "cross"})


def merged_inputs(step):
    return {**step_inputs(step), "use_cache_branch": numpy.array([step > 0]), **(MERGED_START if step == 0 else {})}


def test_a_merged_decoder_runs_step_by_step(make_session):
    session = make_session(MERGED)
    feedback = merged_feedback(session)
    cross = None
    for step in range(4):
        y, _, made = session.run(None, merged_inputs(step), feedback=feedback)
        assert made.shape[0] == (2 if step == 0 else 0)
        cross = made if step == 0 else cross
        assert numpy.allclose(y, step ** 2 + cross.sum(axis=0))


def test_a_merged_decoder_stays_on_the_emulated_device(tmp_path):
    code = """
feedback = own.merged_feedback(session)
for step in range(steps):
    y, present, made = session.run(None, own.merged_inputs(step), feedback=feedback)
    assert present is None and (made is None) == (step == 0)
assert feedback.fetch("made").shape == (2, 3)
"""
    # x goes in, and y comes out: neither the caches, nor the states and their mask.
    assert count_copies(tmp_path, MERGED, code) == [1, 1]
