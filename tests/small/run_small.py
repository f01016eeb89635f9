#!/usr/bin/env python3
# Small machines: little memory, one core, no AVX, no writable /tmp, no locales, a read-only file system, one thread.
"""Usage: run_small.py PROGRAM LIBORTOOL_C DIGITS_FOLDER CASE

Runs commands where a board or a container lacks something; results must be those of this machine. CASE is one of memory,
core, baseline, tmp, locale, readonly, threads. Exits with 77 and a reason if this machine cannot set a case up.
"""
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

PROGRAM, LIBRARY, DIGITS, CASE = sys.argv[1:5]
MODEL = os.path.join(DIGITS, "digits.onnx")
IMAGE = os.path.join(DIGITS, "digit-7.png")
SAMPLES = os.path.join(DIGITS, "evaluation.npz")
RUN = [PROGRAM, "run", MODEL, IMAGE, "--json", "--quiet"]


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def call(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def outputs(text):
    """What the run computed, without times and descriptions of the machine."""
    return json.loads(text)["outputs"]


def as_root():
    if os.geteuid() != 0:
        skip("only root can set this up")


class MemoryGroup:
    """A control group with a limit on memory and no swap, of version 2 or 1."""

    def __init__(self, limit):
        as_root()
        name = f"ortool_small_{os.getpid()}"
        for base, files in (("/sys/fs/cgroup", ("memory.max", "memory.swap.max")),
                            ("/sys/fs/cgroup/memory", ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes"))):
            self.path = os.path.join(base, name)
            try:
                os.mkdir(self.path)
            except OSError:
                continue
            if os.path.exists(os.path.join(self.path, files[0])):
                self.write(files[0], limit)
                if os.path.exists(os.path.join(self.path, files[1])):
                    self.write(files[1], 0 if files[1].endswith("max") else limit)
                return
            os.rmdir(self.path)
        skip("no control group for memory can be made here")

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
            file.write(str(value))

    def enter(self):
        self.write("cgroup.procs", os.getpid())

    def remove(self):
        os.rmdir(self.path)


def check_memory():
    """64 MB and no swap: each command does its work."""
    group = MemoryGroup(64 << 20)
    try:
        hog = subprocess.run([sys.executable, "-c", "b = bytearray(200 << 20)"], preexec_fn=group.enter, check=False,
                             capture_output=True)
        assert hog.returncode != 0, "the limit does not hold, so that this test would show nothing"
        with tempfile.TemporaryDirectory() as folder:
            small, fast = os.path.join(folder, "int8.onnx"), os.path.join(folder, "fast.onnx")
            expected = outputs(call(RUN))
            assert outputs(call(RUN, preexec_fn=group.enter)) == expected
            call([PROGRAM, "inspect", MODEL, "--json"], preexec_fn=group.enter)
            call([PROGRAM, "optimize", MODEL, "-o", fast], preexec_fn=group.enter)
            call([PROGRAM, "quantize", MODEL, "-o", small, "--calibration-data", SAMPLES, "--samples", "50"],
                 preexec_fn=group.enter)
            call([PROGRAM, "run", small, "--data", SAMPLES, "--metric", "top1"], preexec_fn=group.enter)
    finally:
        group.remove()


def check_core():
    """One core: the same bits, and one thread."""
    if not hasattr(os, "sched_setaffinity"):
        skip("processors cannot be chosen here")
    core = min(os.sched_getaffinity(0))
    report = json.loads(call(RUN, preexec_fn=lambda: os.sched_setaffinity(0, {core})))
    assert report["outputs"] == outputs(call(RUN))
    assert report["environment"]["cores"] == 1, report["environment"]["cores"]


def check_baseline():
    """A processor without AVX, emulated: no illegal instruction, and the bits of the baseline kernels."""
    emulator = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
    if emulator is None:
        skip("qemu-user is not installed")
    emulated = [emulator, "-cpu", "Nehalem"]
    # The loader tells which levels the emulated processor has; v3 begins with AVX.
    levels = call(emulated + ["/lib64/ld-linux-x86-64.so.2", "--help"])
    assert "x86-64-v2 (supported" in levels and "x86-64-v3 (supported" not in levels, levels
    assert outputs(call(emulated + RUN)) == outputs(call(RUN, env={**os.environ, "ORTOOL_MAX_ISA": "baseline"}))
    call(emulated + [PROGRAM, "inspect", MODEL])
    with tempfile.TemporaryDirectory() as folder:
        call(emulated + [PROGRAM, "quantize", MODEL, "-o", os.path.join(folder, "int8.onnx"), "--calibration-data", SAMPLES,
                         "--samples", "5"])


def in_namespace(setup, command):
    """Runs a command after `setup` in a mount namespace of its own."""
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{setup} && exec "$@"', "sh", *command]


def check_tmp():
    """A /tmp in which nothing can be made."""
    as_root()
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        setup = "mount -t tmpfs -o ro none /tmp && ! touch /tmp/file 2>/dev/null"
        call(in_namespace(setup, ["true"]))
        assert outputs(call(in_namespace(setup, RUN))) == outputs(call(RUN))
        small = os.path.join(folder, "int8.onnx")
        call(in_namespace(setup, [PROGRAM, "quantize", MODEL, "-o", small, "--calibration-data", SAMPLES, "--samples", "50"]))
        call(in_namespace(setup, [PROGRAM, "bench", small, "--iterations", "5"]))


def check_readonly():
    """Nothing can be written anywhere: runs and reports need no file."""
    as_root()
    # Submounts keep their own flags, so each is made read-only.
    setup = ("for each in $(awk '{print $2}' /proc/mounts | sort -u); do "
             "mount -o remount,bind,ro \"$each\" 2>/dev/null; done; "
             f"! touch {os.path.realpath(os.getcwd())}/file 2>/dev/null && ! touch /tmp/file 2>/dev/null")
    call(in_namespace(setup, ["true"]))
    assert outputs(call(in_namespace(setup, RUN))) == outputs(call(RUN))
    call(in_namespace(setup, [PROGRAM, "inspect", MODEL]))
    call(in_namespace(setup, [PROGRAM, "bench", MODEL, "--iterations", "5"]))
    done = subprocess.run(in_namespace(setup, [PROGRAM, "optimize", MODEL, "-o", os.path.abspath("fast.onnx")]),
                          capture_output=True, text=True, check=False)
    assert done.returncode not in (0, 1) and done.stderr.startswith("error: ") and "hint: " in done.stderr, done.stderr


def check_locale():
    """No locale files, and settings that name missing ones."""
    with tempfile.TemporaryDirectory() as folder:
        named = os.path.join(folder, "Ziffern – 7.onnx")
        shutil.copy(MODEL, named)
        for settings in ({}, {"LC_ALL": "C"}, {"LC_ALL": "xx_YY.UTF-8", "LANG": "de_DE.UTF-8"}, {"LC_NUMERIC": "de_DE.UTF-8"}):
            env = {"LOCPATH": folder, "PATH": "/usr/bin:/bin", **settings}
            assert outputs(call([PROGRAM, "run", named, IMAGE, "--json", "--quiet"], env=env)) == outputs(call(RUN)), settings
            assert "–" in call([PROGRAM, "inspect", named], env=env), settings


def threads_of(threads):
    """The threads of this process while it has a session with that number of threads, after a run."""
    library = ctypes.CDLL(LIBRARY)
    model, session, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    assert library.ortool_model_load(MODEL.encode(), ctypes.byref(model), ctypes.byref(error)) == 0
    options = json.dumps({"threads": threads}).encode()
    assert library.ortool_session_new(model, options, None, ctypes.byref(session), ctypes.byref(error)) == 0
    return len(os.listdir("/proc/self/task"))


def check_threads():
    """With one thread neither the library nor the program starts any."""
    assert threading.active_count() == 1 and len(os.listdir("/proc/self/task")) == 1
    assert threads_of(1) == 1
    assert threads_of(2) == 2, "threads are not counted, so that this test would show nothing"
    for threads in (1, 3):
        with subprocess.Popen([PROGRAM, "bench", MODEL, "--stepped", "--quiet", "--threads", str(threads)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stepped:
            for line in ("info", "run 3"):
                stepped.stdin.write(line + "\n")
                stepped.stdin.flush()
                stepped.stdout.readline()
            count = len(os.listdir(f"/proc/{stepped.pid}/task"))
            stepped.stdin.close()
        assert count == threads, f"{count} threads with --threads {threads}"


def main():
    cases = {name[6:]: check for name, check in globals().items() if name.startswith("check_")}
    if CASE not in cases:
        sys.exit(f"unknown case {CASE}; they are {', '.join(cases)}")
    cases[CASE]()
    print(f"{CASE}: passed")


if __name__ == "__main__":
    main()
