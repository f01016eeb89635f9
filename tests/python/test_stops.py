# Stops of the Python package: Ctrl-C, Stop objects, time limits, and callbacks that raise.
import os
import signal
import threading
import time

import numpy
import pytest

import ortool

# Some 10^9 multiplications in a loop: minutes on any machine.
ENDLESS = """g (int64 n, float[m, m] x) => (float[m, m] y) {
    yes = Constant <value = bool {1}> ()
    y = Loop (n, yes, x) <body = b (int64 i, bool c, float[m, m] v) => (bool d, float[m, m] w) {
        d = Identity(c)
        p = MatMul(v, v)
        w = Tanh(p)
    }>
}"""
FEEDS = {"n": numpy.array(1 << 40, numpy.int64), "x": numpy.ones((64, 64), numpy.float32)}


def after(seconds, action):
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


def test_ctrl_c_raises_keyboard_interrupt_and_sessions_go_on(make_session):
    session = make_session(ENDLESS)
    handler = signal.getsignal(signal.SIGINT)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            timer = after(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
            session.run(None, FEEDS)
        timer.join()
    assert signal.getsignal(signal.SIGINT) is handler
    assert session.run(None, {**FEEDS, "n": 1})[0].shape == (64, 64)


def test_a_handler_of_the_program_is_called(make_session):
    session = make_session(ENDLESS)
    called = []
    is_done = threading.Event()

    def interrupt():
        # The first signal may come before the run begins.
        while not is_done.wait(0.1):
            os.kill(os.getpid(), signal.SIGINT)
    before = signal.signal(signal.SIGINT, lambda *_: called.append(1))
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        with pytest.raises(ortool.Error) as raised:
            session.run(None, FEEDS)
    finally:
        is_done.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert called and raised.value.status == ortool.Status.INTERRUPTED


def test_a_stop_ends_a_run_in_any_thread(make_session):
    session = make_session(ENDLESS)
    stop = ortool.Stop()
    errors = []

    def work():
        try:
            session.run(None, FEEDS, stop=stop)
        except ortool.Error as error:
            errors.append(error.status)
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    stop.request()
    thread.join()
    assert errors == [ortool.Status.INTERRUPTED]


def test_a_time_limit_ends_a_run_and_not_the_next(make_session):
    session = make_session(ENDLESS)
    with pytest.raises(ortool.Error) as raised:
        session.run(None, FEEDS, timeout=0.1)
    assert raised.value.status == ortool.Status.TIMEOUT
    assert session.run(None, {**FEEDS, "n": 3})[0].shape == (64, 64)


def test_the_gil_is_released_during_a_run(make_session):
    session = make_session(ENDLESS)
    stop = ortool.Stop()
    steps = []

    def work():
        for _ in range(10):
            time.sleep(0.02)
            steps.append(1)
        stop.request()
    thread = threading.Thread(target=work)
    thread.start()
    # With the GIL the run would never end.
    with pytest.raises(ortool.Error):
        session.run(None, FEEDS, stop=stop)
    thread.join()
    assert len(steps) == 10


def test_an_exception_of_a_callback_ends_the_command(digits_path, tmp_path):
    class Wrong(Exception):
        pass

    def on_progress(step, done, total):
        raise Wrong(step)
    with pytest.raises(Wrong):
        ortool.optimize(digits_path, tmp_path / "small.onnx", on_progress=on_progress)
    assert not (tmp_path / "small.onnx").exists()
    assert ortool.optimize(digits_path, tmp_path / "small.onnx")["exit_code"] == 0


def test_a_callback_may_run_a_session(digits_path, image, make_session, tmp_path):
    session = ortool.Session(digits_path, threads=1)
    classes = set()
    ortool.optimize(digits_path, tmp_path / "small.onnx",
                    on_progress=lambda *_: classes.add(int(session.run(None, {"image": image})[0].argmax())))
    assert classes == {1}
    # Ctrl-C reaches the inner run, and its exception ends the command.
    endless = make_session(ENDLESS)
    with pytest.raises(KeyboardInterrupt):
        timer = after(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        ortool.optimize(digits_path, tmp_path / "other.onnx", on_progress=lambda *_: endless.run(None, FEEDS))
    timer.join()
    assert session.run(None, {"image": image})[0].argmax() == 1
