# Sessions of the Python package: making, describing, running, and errors.
import os
import threading

import numpy
import pytest

import ortool


def test_a_session_is_made_from_a_path_from_bytes_and_from_a_path_object(digits_path, image):
    scores = [ortool.Session(source, threads=1).run(None, {"image": image})[0]
              for source in (str(digits_path), digits_path, digits_path.read_bytes(), bytearray(digits_path.read_bytes()))]
    assert all(numpy.array_equal(each, scores[0]) for each in scores)
    assert scores[0].argmax() == 1


def test_inputs_and_outputs_have_names_types_and_symbols(digits_path):
    session = ortool.Session(digits_path)
    assert session.inputs == [ortool.ValueInfo("image", "float32[batch x 1 x 8 x 8]", "tensor", 1, False, ("batch", 1, 8, 8))]
    assert [output.name for output in session.outputs] == ["scores"]


def test_outputs_are_chosen_by_name_and_in_order(make_session):
    session = make_session("g (float[2] x) => (float[2] a, float[2] b) { a = Neg(x)  b = Abs(x) }")
    x = numpy.array([1, -2], numpy.float32)
    b, a = session.run(["b", "a"], {"x": x})
    assert b.tolist() == [1, 2] and a.tolist() == [-1, 2]
    assert len(session.run(None, {"x": x})) == 2


def test_an_error_has_status_message_and_hint(digits_path, image):
    session = ortool.Session(digits_path)
    with pytest.raises(ortool.Error) as raised:
        session.run(None, {"imgae": image})
    assert raised.value.status == ortool.Status.INVALID == 2
    assert "imgae" in raised.value.message and raised.value.hint
    assert str(raised.value) == f"{raised.value.message}\nhint: {raised.value.hint}"
    with pytest.raises(ortool.Error, match="float64"):
        session.run(None, {"image": image.astype(numpy.float64)})
    with pytest.raises(ortool.Error, match="wrong.onnx"):
        ortool.Session("wrong.onnx")
    with pytest.raises(ortool.Error, match="threads"):
        ortool.Session(digits_path, thread=1)


def test_wrong_python_types_are_refused(digits_path, image):
    session = ortool.Session(digits_path)
    with pytest.raises(TypeError):
        session.run(None, [image])
    with pytest.raises(TypeError):
        session.run("scores", {"image": image})
    with pytest.raises(TypeError):
        session.run(None, {1: image})
    with pytest.raises(TypeError):
        session.run(None, {"image": image}, stop="now")
    with pytest.raises(RuntimeError):
        ortool._native.Session()._run(None, {}, None, 0, 0, None, None, None)


def test_eight_threads_run_one_session_at_once(digits_path, samples):
    session = ortool.Session(digits_path, threads=1)
    images = samples["image"][:64]
    expected = [session.run(None, {"image": images[i:i + 1]})[0].copy() for i in range(64)]
    failures = []

    def work(first):
        for i in range(first, 64, 8):
            for _ in range(20):
                if not numpy.array_equal(session.run(None, {"image": images[i:i + 1]})[0], expected[i]):
                    failures.append(i)
    threads = [threading.Thread(target=work, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_outputs_outlive_the_session(digits_path, image):
    session = ortool.Session(digits_path)
    scores = session.run(None, {"image": image})[0]
    expected = scores.copy()
    session.release_memory()
    del session
    for _ in range(10):
        ortool.Session(digits_path).run(None, {"image": image * 0})
    assert numpy.array_equal(scores, expected)


def test_memory_does_not_grow_with_the_number_of_runs(digits_path, image):
    session = ortool.Session(digits_path, threads=1)

    def resident_pages():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])
    for _ in range(2000):
        session.run(None, {"image": image})
    before = resident_pages()
    for _ in range(20000):
        session.run(None, {"image": image})
    # A leak of one object of 64 bytes in each run would be 312 pages.
    assert (resident_pages() - before) * os.sysconf("SC_PAGE_SIZE") < 1 << 20
