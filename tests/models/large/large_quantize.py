# Quantizes a large model in little memory: weights are read in place, and codes are spilled to disk.
"""Usage: large_quantize.py PROGRAM BOUNDED FOLDER [MEGABYTES]   (exit 77: missing packages or disk space)

FOLDER gets a model with this many megabytes (300) of external float32 weights. Every mode must need memory for only a
few layers, whatever the model's size; onnxruntime and ortool compare the result with the float model; the error for too
low a limit names a sufficient one; an interrupt leaves the folder unchanged.
"""
import os
import re
import shutil
import signal
import subprocess
import sys

try:
    import numpy as np
    import onnxruntime
    import make_large
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

_USUAL_MEGABYTES = 300
# For each form: options, the maximum resident set in MB, which suffices for a model of 2.5 GB too, and the minimum
# signal-to-noise ratio against the float model, in decibels.
_STATIC = ["--calibration-data", "DATA", "--samples", "2", "--recipe", "fast"]
_FORMS = {
    "weight-only": (["--mode", "weight-only"], 135, 30),
    "weight-only in blocks": (["--mode", "weight-only", "--block-size", "64", "--quant-format", "qoperator"], 155, 30),
    "dynamic": (["--mode", "dynamic"], 135, 28),
    "static": ([*_STATIC, "--max-memory", "160MB"], 230, 20),
}


# Memory of the program besides tensors: itself, its libraries, pages of files that are being read.
_PROGRAM_MEGABYTES = 64


class Failure(Exception):
    """A violated expectation."""


def expect(is_so, words):
    if not is_so:
        raise Failure(words)


def listing(folder):
    return {name: (os.stat(os.path.join(folder, name)).st_size, os.stat(os.path.join(folder, name)).st_mtime_ns)
            for name in sorted(os.listdir(folder))}


def run(command):
    """The command's output, including errors."""
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    words = process.stdout.decode("utf-8", "replace")
    expect(process.returncode == 0, f"{' '.join(command[:2])}: exit code {process.returncode}: {words}")
    return words


def run_in_onnxruntime(path, x):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


def run_in_ortool(program, folder, path, x):
    np.save(os.path.join(folder, "x.npy"), x)
    run([program, "run", path, "--input", "x=" + os.path.join(folder, "x.npy"), "--output-dir", folder,
         "--output-format", "npy", "-q"])
    result = np.load(os.path.join(folder, "output_0.npy"))
    for name in ("x.npy", "output_0.npy"):
        os.remove(os.path.join(folder, name))
    return result


def decibels(expected, found):
    return 10 * np.log10(np.sum(expected.astype(np.float64) ** 2) / np.sum((expected - found.astype(np.float64)) ** 2))


def with_data(options, model):
    return [model + ".npz" if option == "DATA" else option for option in options]


def check_form(program, bounded, folder, model, name, expected, x):
    options, most, least = _FORMS[name]
    before = listing(folder)
    output = os.path.join(folder, "out.onnx")
    words = run([bounded, str(most), program, "quantize", model, "-o", output, "-q", *with_data(options, model)])
    ratio = os.path.getsize(output) / os.path.getsize(model + ".data")
    expect(ratio < 0.27, f"{name}: {ratio:.3f} of the float model")
    found = {"onnxruntime": run_in_onnxruntime(output, x), "ortool": run_in_ortool(program, folder, output, x)}
    ratios = {runtime: decibels(expected, each) for runtime, each in found.items()}
    print(f"{name}: {words.strip()}, {ratio:.3f} of the bytes, " +
          ", ".join(f"{each:.1f} dB in {runtime}" for runtime, each in ratios.items()), flush=True)
    expect(min(ratios.values()) >= least, f"{name}: {ratios} (expected {least})")
    os.remove(output)
    expect(listing(folder) == before, f"{name}: {sorted(set(listing(folder)) ^ set(before))}, or an old file was touched")


def check_limits(program, bounded, folder, model):
    """Too low a limit gives one error, which names a sufficient limit; the process stays within either limit plus its
    memory without tensors."""
    output = os.path.join(folder, "out.onnx")
    command = [program, "quantize", model, "-o", output, "-q", *with_data(_STATIC, model), "--max-memory"]
    too_little = 30
    done = subprocess.run([bounded, str(too_little + _PROGRAM_MEGABYTES), *command, f"{too_little}MB"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    expect(done.returncode == 6 and done.stderr.count("error: ") == 1, f"static within {too_little} MB: {done}")
    expect(not os.path.exists(output), f"static within {too_little} MB: a model is there")
    named = re.search(r"--max-memory (\d+)MB is estimated to be enough", done.stderr)
    expect(named is not None, f"static within {too_little} MB: {done.stderr}")
    enough = int(named[1])
    words = run([bounded, str(enough + _PROGRAM_MEGABYTES), *command, f"{enough}MB"])
    print(f"static within {enough} MB, which {too_little} MB named: {words.strip()}", flush=True)
    os.remove(output)


def levels_wait_on_disk(process, _):
    """Whether an unnamed temporary file, to which codes are spilled, has contents."""
    try:
        files = [f"/proc/{process.pid}/fd/{each}" for each in os.listdir(f"/proc/{process.pid}/fd")]
        return any(os.readlink(each).endswith(" (deleted)") and os.stat(each).st_size > 0 for each in files)
    except OSError:  # closed or ended in the meantime
        return False


def result_is_being_written(_, folder):
    return any(name.endswith(".tmp") for name in os.listdir(folder))


def check_interrupt(program, folder, model, has_come):
    """An interrupt once `has_come` holds: the process is stopped there, so that it cannot end before the signal.
    Spilled codes and the partial file disappear with it, and the existing output file is unchanged."""
    output = os.path.join(folder, "out.onnx")
    old = b"an old file"
    with open(output, "wb") as file:
        file.write(old)
    before = listing(folder)
    process = subprocess.Popen([program, "quantize", model, "-o", output, "--force", "--mode", "dynamic"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not has_come(process, folder):
            expect(process.poll() is None, f"{has_come.__name__}: ended early with exit code {process.returncode}")
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        expect(has_come(process, folder), f"{has_come.__name__}: finished before the process could be stopped")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        code = process.wait(30)
    finally:
        process.kill()
    expect(code == 130, f"{has_come.__name__}, interrupted: exit code {code}")
    expect(listing(folder) == before,
           f"{has_come.__name__}, interrupted: {sorted(set(listing(folder)) ^ set(before))} left behind, or a file changed")
    with open(output, "rb") as file:
        expect(file.read() == old, f"{has_come.__name__}, interrupted: the old file has changed")
    os.remove(output)


def main():
    program, bounded, folder = sys.argv[1:4]
    megabytes = float(sys.argv[4]) if len(sys.argv) > 4 else _USUAL_MEGABYTES
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if shutil.disk_usage(folder).free < 3e6 * megabytes:
        print("SKIPPED: not enough disk space for a large model")
        return 77
    model = os.path.join(folder, "large.onnx")
    try:
        make_large.make(model, megabytes)
        x = np.load(model + ".npz")["x"][:2]
        expected = run_in_ortool(program, folder, model, x)
        for name in _FORMS:
            check_form(program, bounded, folder, model, name, expected, x)
        check_limits(program, bounded, folder, model)
        for has_come in (levels_wait_on_disk, result_is_being_written):
            check_interrupt(program, folder, model, has_come)
    except Failure as failure:
        print(failure)
        return 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
