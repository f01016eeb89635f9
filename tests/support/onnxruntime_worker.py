# onnxruntime in a worker process with limits on memory and time, since it aborts or exhausts memory on some models.
import multiprocessing
import os
import resource
import signal

_MOST_BYTES = 4 << 30
_TIMEOUT_SECONDS = 60
# A worker that holds more than this is replaced, since onnxruntime hardly returns memory.
_MOST_HELD_BYTES = 1 << 30


class PeerError(Exception):
    """onnxruntime does not load or run a model, or crashes."""


class OnnxRuntimeWorker:
    """`run` executes models one after another; a worker that dies is replaced."""

    def __init__(self, most_bytes=_MOST_BYTES, timeout=_TIMEOUT_SECONDS, optimize=True):
        self._most_bytes, self._timeout, self._optimize = most_bytes, timeout, optimize
        self._process = self._pipe = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def run(self, path, feeds_of_runs):
        """The outputs of each run: {name: array}. Raises PeerError."""
        if self._process is None:
            self._start()
        try:
            self._pipe.send((os.fspath(path), feeds_of_runs))
            if not self._pipe.poll(self._timeout):
                self._kill()
                raise PeerError(f"timed out after {self._timeout} s")
            is_good, result, is_worn = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self._kill()
            raise PeerError(f"aborts ({signal.Signals(-code).name if code < 0 else f'exit {code}'})") from None
        if is_worn:
            self._kill()
        if not is_good:
            raise PeerError(result)
        return result

    def close(self):
        if self._process is not None:
            self._kill()

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._most_bytes, self._optimize), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(self._timeout) or self._pipe.recv() != "ready":
            raise RuntimeError("the worker with onnxruntime does not start")

    def _kill(self):
        self._process.kill()
        self._process.join()
        self._pipe.close()
        self._process = self._pipe = None


def _serve(pipe, most_bytes, optimize):
    import onnxruntime
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Its messages before an abort do not belong in the script's output.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    pipe.send("ready")
    while True:
        try:
            path, feeds_of_runs = pipe.recv()
        except EOFError:
            return
        is_good, result = _answer(onnxruntime, options, path, feeds_of_runs)
        pipe.send((is_good, result, _held_bytes() > _MOST_HELD_BYTES))


def _answer(onnxruntime, options, path, feeds_of_runs):
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions share no other base class
        return False, f"not loaded: {error}"
    names = [value.name for value in session.get_outputs()]
    try:
        return True, [dict(zip(names, session.run(names, feeds))) for feeds in feeds_of_runs]
    except Exception as error:
        return False, f"not run: {error}"


def _held_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
