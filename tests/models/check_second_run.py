# Optimizes small files whose weights are computed by nodes: how much they grow, and that a second run changes nothing.
"""Usage: check_second_run.py PROGRAM ARCHIVE   (exit 77: nothing to check)

ARCHIVE is light.tar.xz of ONNX's backend tests: networks whose weights are nodes that fill them, one of 9 kB in place
of 548 MB. In each form that `ortool optimize` writes, a file may grow by 4 MiB and what is small beside that, and
what is written from it again must be the same bytes. Models that the onnx package holds are taken too.
"""
import glob
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile

_FORMS = (["--level", "basic"], ["--level", "extended"], ["--target", "ortool"], ["--opset", "23"])
_MOST_GROWTH_BYTES = (4 << 20) + (64 << 10)
_TIMEOUT_SECONDS = 60


def find_models(archive, folder):
    if os.path.exists(archive):
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    yield from sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True))
    onnx = importlib.util.find_spec("onnx")
    if onnx is not None and onnx.origin is not None:
        yield from sorted(glob.glob(os.path.join(os.path.dirname(onnx.origin), "backend/test/data/light/*.onnx")))


def optimize(program, path, output, form):
    subprocess.run([program, "optimize", path, "-o", output, *form, "--verify", "0", "-q"], check=True,
                   capture_output=True, timeout=_TIMEOUT_SECONDS)
    with open(output, "rb") as file:
        return file.read()


def check(program, path, form, folder):
    """What is wrong, or None."""
    first = os.path.join(folder, "first.onnx")
    once = optimize(program, path, first, form)
    growth = len(once) - os.path.getsize(path)
    if growth > _MOST_GROWTH_BYTES:
        return f"grows by {growth} bytes"
    if optimize(program, first, os.path.join(folder, "second.onnx"), form) != once:
        return "a second run changes the file"
    return None


def main():
    program, archive = sys.argv[1:]
    count = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in find_models(archive, os.path.join(folder, "models")):
            for form in _FORMS:
                problem = check(program, path, form, folder)
                if problem:
                    print(f"{path}: {' '.join(form)}: {problem}")
                    failed += 1
            count += 1
    if count == 0:
        print("SKIPPED: no models")
        return 77
    print(f"{count} models, {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
