# Measures the scheduling delay of a busy machine, which timing tests subtract from their measurements.
import threading
import time


class Lateness:
    """`with Lateness() as late: ...; late.seconds`: the total delay in waking up a thread that only sleeps."""

    _STEP_SECONDS = 0.02

    def __init__(self):
        self.seconds = 0.0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()

    def _watch(self):
        begin = time.monotonic()
        while not self._is_over.wait(self._STEP_SECONDS):
            now = time.monotonic()
            self.seconds += max(0.0, now - begin - self._STEP_SECONDS)
            begin = now
