# Optimizes a model above 2 GB: in little memory, completely or not at all, and without touching existing weight files.
"""Usage: large_optimize.py PROGRAM MAKE_LLAMA FOLDER   (exit 77: not enough disk space)

FOLDER gets a sparse model of 2.4 GB in one file, which `optimize` writes with external weights, and one that has
external weights already. Memory is limited; an interrupt or a full disk leaves the folder unchanged.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

_MOST_MEGABYTES = 200
_ROOM_BYTES = 8 << 30
_FILE_LIMIT_BYTES = 1 << 30


class Failure(Exception):
    """A violated expectation."""


def listing(folder):
    return {name: (os.stat(os.path.join(folder, name)).st_size, os.stat(os.path.join(folder, name)).st_mtime_ns)
            for name in sorted(os.listdir(folder))}


def expect(is_so, words):
    if not is_so:
        raise Failure(words)


def run(command, limit=None):
    """Exit code, peak resident set in megabytes, and stderr."""
    def prepare():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=subprocess.PIPE, preexec_fn=prepare)
        words = process.stderr.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024 / 1e6, words


def optimize(program, model, output, *more):
    """All weights are the same, so that sharing would leave little to write."""
    return [program, "optimize", model, "-o", output, "--verify", "0", "-q", "--skip-pass", "deduplicate-constants", *more]


def check_written(program, folder, model):
    output = os.path.join(folder, "out.onnx")
    code, megabytes, words = run(optimize(program, model, output))
    expect(code == 0, f"exit code {code}: {words}")
    expect(megabytes < _MOST_MEGABYTES, f"{megabytes:.0f} MB to write the model")
    size = os.path.getsize(output + ".data")
    expect(size > 2 << 30, f"{size} bytes of external weights")
    code, _, words = run([program, "inspect", output, "--no-weights"])
    expect(code == 0, f"the result does not load: {words}")
    print(f"written with {size / 1e9:.2f} GB of external weights in {megabytes:.0f} MB", flush=True)
    os.remove(output)
    os.remove(output + ".data")


def check_stream(program, model):
    code, megabytes, words = run(optimize(program, model, "-"))
    expect(code == 0, f"to standard output: exit code {code}: {words}")
    expect(megabytes < _MOST_MEGABYTES, f"{megabytes:.0f} MB to stream the model")
    print(f"streamed in {megabytes:.0f} MB", flush=True)


def check_sharing(program, model):
    """Every weight is compared with others of the same shape."""
    code, megabytes, words = run([program, "optimize", model, "-o", "-", "--verify", "0", "-q"])
    expect(code == 0, f"equal weights: exit code {code}: {words}")
    expect(megabytes < _MOST_MEGABYTES, f"{megabytes:.0f} MB to compare weights")
    print(f"equal weights found in {megabytes:.0f} MB", flush=True)


def check_interrupt(program, folder, model):
    before = listing(folder)
    process = subprocess.Popen(optimize(program, model, os.path.join(folder, "out.onnx")), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    is_writing = False
    while not is_writing and process.poll() is None and time.monotonic() < deadline:
        # Files may appear and disappear during the listing.
        for name in set(os.listdir(folder)) - set(before):
            try:
                is_writing = is_writing or os.path.getsize(os.path.join(folder, name)) > 100 << 20
            except FileNotFoundError:
                pass
        time.sleep(0.002)
    expect(is_writing, "not caught while writing")
    process.send_signal(signal.SIGINT)
    code = process.wait(30)
    expect(code == 130, f"interrupted: exit code {code}")
    expect(listing(folder) == before, f"interrupted: {sorted(set(listing(folder)) ^ set(before))} left behind")
    print("interrupted: nothing left behind", flush=True)


def check_no_room(program, folder, model):
    before = listing(folder)
    code, _, words = run(optimize(program, model, os.path.join(folder, "out.onnx")), _FILE_LIMIT_BYTES)
    expect(code == 7 and words.startswith("error: "), f"no room: exit code {code}: {words}")
    expect(listing(folder) == before, "no room: files are left behind")
    code, _, words = run(optimize(program, model, "/dev/full"))
    expect(code == 7, f"a full disk: exit code {code}: {words}")
    print("no room: " + words.splitlines()[0], flush=True)


def check_external(program, folder, model):
    """In its own folder a model keeps its weight file; with --force the model itself is replaced."""
    output = os.path.join(folder, "again.onnx")
    before = listing(folder)
    code, megabytes, words = run(optimize(program, model, output))
    expect(code == 0, f"external weights: exit code {code}: {words}")
    expect(megabytes < _MOST_MEGABYTES, f"weights outside: {megabytes:.0f} MB")
    after = listing(folder)
    expect(set(after) - set(before) == {"again.onnx"}, f"weights outside: {sorted(set(after) - set(before))} are new")
    expect(all(after[name] == before[name] for name in before), "external weights: an old file was modified")
    weights = os.path.basename(model) + ".data"
    code, _, words = run(optimize(program, model, model, "--force"))
    expect(code == 0, f"in place: exit code {code}: {words}")
    expect(listing(folder)[weights] == before[weights], "in place: the weight file was modified")
    print("external weights: the old file is kept", flush=True)


def main():
    program, make_llama, folder = sys.argv[1:4]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if shutil.disk_usage(folder).free < _ROOM_BYTES:
        print("SKIPPED: not enough disk space for a large model")
        return 77
    inside, outside = os.path.join(folder, "inside.onnx"), os.path.join(folder, "outside.onnx")
    try:
        for command in ([make_llama, inside, "--layers=4"], [make_llama, outside, "--layers=4", "--external"]):
            code = subprocess.call(command)
            if code != 0:
                return code
        check_stream(program, inside)
        check_sharing(program, inside)
        check_written(program, folder, inside)
        check_interrupt(program, folder, inside)
        check_no_room(program, folder, inside)
        check_external(program, folder, outside)
    except Failure as failure:
        print(failure)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
