# Profiles of runs: events, rows by node, and the trace of the command.
import json
import subprocess

import numpy
import pytest

import ortool


def test_a_profile_has_the_kernels_of_the_run(digits_path, image):
    session = ortool.Session(digits_path, threads=1)
    profile = ortool.Profile()
    assert profile.events == [] and profile.total_ns == 0
    session.run(None, {"image": image}, profile=profile)
    events = profile.events
    assert events and all(event.provider == "cpu" and event.kernel and event.duration_ns >= 0 for event in events)
    assert 0 < sum(event.duration_ns for event in events) <= profile.total_ns
    rows = profile.rows()
    assert {row["node"] for row in rows} == {event.node for event in events}
    assert sum(row["share"] for row in rows) == pytest.approx(1)
    assert [row["ms"] for row in rows] == sorted((row["ms"] for row in rows), reverse=True)


def test_rows_count_the_calls_of_bodies(make_session):
    session = make_session("""g (int64 k, float[2] x) => (float[2] y) { yes = Constant <value = bool {1}> ()
        y = Loop (k, yes, x) <body = l (int64 i, bool c, float[2] v) => (bool d, float[2] w)
            { d = Identity (c) w = Exp (v) }> }""", optimize="none")
    profile = ortool.Profile()
    session.run(None, {"k": numpy.array(5), "x": numpy.zeros(2, numpy.float32)}, profile=profile)
    calls = {row["op_type"]: (row["depth"], row["calls"]) for row in profile.rows()}
    assert calls["Exp"] == (1, 5) and calls["Loop"] == (0, 1)


def test_the_trace_is_that_of_the_command(digits_path, image, program, tmp_path):
    session = ortool.Session(digits_path, threads=1)
    profile = ortool.Profile()
    with pytest.raises(ortool.Error, match="no run has filled the profile"):
        profile.trace()
    session.run(None, {"image": image}, profile=profile)
    numpy.savez(tmp_path / "inputs.npz", image=image)
    subprocess.run([program, "run", str(digits_path), "--inputs", str(tmp_path / "inputs.npz"), "--threads", "1", "--trace",
                    str(tmp_path / "trace.json"), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    printed = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))

    def without_times(events):
        return [{key: value for key, value in event.items() if key not in ("ts", "dur", "pid", "tid")} for event in events]
    assert without_times(profile.trace()) == without_times(printed)
    # It outlives the session.
    del session
    assert profile.trace()[0]["name"] == "model_loading_uri"


def test_a_profile_is_of_its_type(digits_path, image):
    with pytest.raises(TypeError, match="ortool.Profile"):
        ortool.Session(digits_path).run(None, {"image": image}, profile={})
