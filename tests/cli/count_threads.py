# Counts the threads of a program that runs until it is stopped.
"""usage: count_threads.py SECONDS COMMAND...

Prints the largest number of threads seen within SECONDS after the program handles SIGTERM, and then stops it.
"""
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from interrupt import listens


def main():
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most, end = 0, None
    while process.poll() is None and (end is None or time.monotonic() < end):
        try:
            most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
            if end is None and listens(process, signal.SIGTERM):
                end = time.monotonic() + seconds
        except (FileNotFoundError, StopIteration):
            break
        time.sleep(0.001)
    if process.poll() is not None:
        print(f"it ended by itself, with {process.returncode}")
        return 1
    process.terminate()
    process.wait()
    print(f"{most} threads" if most != 1 else "1 thread")
    return 0


if __name__ == "__main__":
    sys.exit(main())
