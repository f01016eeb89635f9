# Sends a signal to a program as soon as it handles signals, and returns its exit code.
"""usage: interrupt.py [--open-input] SIGNAL SECONDS COMMAND...

SECONDS are counted from when the program handles the signal. With --open-input its standard input is a
pipe that nobody writes to. Exit code 99 if it takes over a second to end, not counting the lateness of a busy machine.
"""
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from lateness import Lateness

_MOST_SECONDS = 1.0


def listens(process, which):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (which - 1) & 1 == 1


def main():
    words = sys.argv[1:]
    has_open_input = words[0] == "--open-input"
    which, wait, command = words[has_open_input], float(words[has_open_input + 1]), words[has_open_input + 2:]
    which = signal.Signals["SIG" + which]
    process = subprocess.Popen(command, stdin=subprocess.PIPE if has_open_input else None)
    while process.poll() is None and not listens(process, which):
        time.sleep(0.01)
    time.sleep(wait)
    begin = time.monotonic()
    with Lateness() as late:
        process.send_signal(which)
        process.wait()
    seconds = time.monotonic() - begin - late.seconds
    if seconds > _MOST_SECONDS:
        print(f"it took {seconds:.2f} s to end", file=sys.stderr)
        return 99
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == "__main__":
    sys.exit(main())
