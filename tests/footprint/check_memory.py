#!/usr/bin/env python3
"""Checks the peak of resident memory of a program (VmHWM), as the kernel counts it.

Copies of the program and of the library beside it run, after they left the page cache: of files that were just written,
the kernel maps much larger parts than of those that it reads. The program's output goes to a full pipe, so that it stops
before it ends and can be asked; ru_maxrss would also count the memory of the process that starts it.
usage: check_memory.py [--limit KILOBYTES] PROGRAM ARGUMENT...
"""
import argparse
import fcntl
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE_SECONDS = 60
SKIPPED = 77


def full_pipe():
    reading, writing = os.pipe()
    fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ, which Python names since 3.10
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, b"\n" * 4096)
    except BlockingIOError:
        os.set_blocking(writing, True)
    return reading, writing


def copy_fresh(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)
    with open(target, "rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def copy_program(program, folder):
    """The program in a folder like that of a build or an installation."""
    target = os.path.join(folder, "bin", os.path.basename(program))
    copy_fresh(program, target)
    for library in glob.glob(os.path.join(os.path.dirname(program), "..", "lib", "libortool.so.[0-9]")):
        copy_fresh(library, os.path.join(folder, "lib", os.path.basename(library)))
    return target


def waits_for_output(pid):
    """Whether the main thread is in a system call whose first argument is 1, standard output."""
    try:
        with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
            words = file.read().split()
    except PermissionError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)
    return len(words) > 1 and words[1] == "0x1"


def peak_kilobytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


def measure(command):
    reading, writing = full_pipe()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writing)
    os.close(writing)
    try:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            if process.poll() is not None:
                sys.exit(f"check_memory.py: the program ended with {process.returncode} and wrote no output")
            if waits_for_output(process.pid):
                return peak_kilobytes(process.pid)
            if time.monotonic() > end:
                sys.exit("check_memory.py: the program has not come to its output")
            time.sleep(0.01)
    finally:
        with os.fdopen(reading, "rb") as file:
            file.read()
        if process.wait() != 0:
            sys.exit(f"check_memory.py: the program ended with {process.returncode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    program, *rest = arguments.command
    with tempfile.TemporaryDirectory() as folder:
        peak = measure([copy_program(os.path.abspath(program), folder), *rest])
    print(f"{peak} kB resident at most: {' '.join(arguments.command)}")
    if arguments.limit and peak > arguments.limit:
        sys.exit(f"more than the limit of {arguments.limit} kB")


if __name__ == "__main__":
    main()
