# Benchmark of the Python package: the time of a run beyond the engine's own, beside onnxruntime's and ctypes.
"""usage: python_bench.py C_BENCH LIBRARY MODEL

C_BENCH is build/release/bin/c_bench, LIBRARY libortool_c.so.0, and MODEL takes one float input of a fixed shape. Everything
runs on one thread, in turns; the least of many rounds counts, since what else the machine does only adds time."""
import ctypes
import json
import re
import subprocess
import sys
import time

import numpy
import onnxruntime

import ortool

ROUNDS, RUNS = 2000, 50


class CtypesSession:
    """The same calls of the C interface through ctypes."""

    def __init__(self, library, path):
        self.library = ctypes.CDLL(library)
        for name in ("ortool_tensor_data", "ortool_tensor_shape"):
            getattr(self.library, name).restype = ctypes.c_void_p
        model = ctypes.c_void_p()
        self.session = ctypes.c_void_p()
        if self.library.ortool_model_load(path.encode(), ctypes.byref(model), None) != 0:
            raise OSError(path)
        self.library.ortool_session_new(model, b'{"threads": 1}', None, ctypes.byref(self.session), None)

    def run(self, _, feeds):
        library = self.library
        names = (ctypes.c_char_p * len(feeds))(*[name.encode() for name in feeds])
        inputs = (ctypes.c_void_p * len(feeds))()
        for position, array in enumerate(feeds.values()):
            interface = array.__array_interface__
            value = ctypes.c_void_p()
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            library.ortool_tensor_new(1, shape, ctypes.c_size_t(array.ndim), ctypes.c_void_p(interface["data"][0]),
                                      ctypes.c_size_t(array.nbytes), ctypes.byref(value), None)
            inputs[position] = value
        output = ctypes.c_void_p()
        if library.ortool_run(self.session, names, inputs, ctypes.c_size_t(len(feeds)), None, ctypes.byref(output),
                              ctypes.c_size_t(1), None, None) != 0:
            raise RuntimeError("the run failed")
        for value in inputs:
            library.ortool_value_free(ctypes.c_void_p(value))
        rank = ctypes.c_size_t()
        dimensions = ctypes.cast(library.ortool_tensor_shape(output, ctypes.byref(rank)), ctypes.POINTER(ctypes.c_int64))
        shape = dimensions[:rank.value]
        count = 1
        for size in shape:
            count *= size
        memory = ctypes.cast(library.ortool_tensor_data(output), ctypes.POINTER(ctypes.c_float * count)).contents
        array = numpy.frombuffer(memory, numpy.float32).reshape(shape).copy()
        library.ortool_value_free(output)
        return [array]


def microseconds_a_run(session, feeds):
    begin = time.perf_counter_ns()
    for _ in range(RUNS):
        session.run(None, feeds)
    return (time.perf_counter_ns() - begin) / RUNS / 1000


def engine_time(c_bench, path):
    printed = subprocess.run([c_bench, path], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"^engine\s+([\d.]+) us", printed).group(1))


def main():
    c_bench, library, path = sys.argv[1:]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    sessions = {
        "ortool.Session": ortool.Session(path, threads=1),
        "ortool.InferenceSession": ortool.InferenceSession(path, threads=1),
        "ctypes": CtypesSession(library, path),
        "onnxruntime, with its engine": onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]),
    }
    info = sessions["ortool.Session"].inputs[0]
    feeds = {info.name: numpy.zeros([size if isinstance(size, int) else 1 for size in info.shape], numpy.float32)}
    engine = engine_time(c_bench, path)
    least = dict.fromkeys(sessions, float("inf"))
    for _ in range(ROUNDS):
        for name, session in sessions.items():
            least[name] = min(least[name], microseconds_a_run(session, feeds))
    engine = min(engine, engine_time(c_bench, path))
    print(json.dumps({"engine": engine, **{name: round(value, 3) for name, value in least.items()}}, indent=1))


if __name__ == "__main__":
    main()
