#!/usr/bin/env python3
# Opens every broken model and checks that it is refused the way testdata/broken/expected.tsv says.
"""Usage: run_broken.py PROGRAM FOLDER [--loader]

PROGRAM is ortool, or with --loader one that only loads the file it is given. Exit 77: nothing to test.
"""
import os
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 5


def check(command, code, texts):
    """What is wrong with how the command ended, or None."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_SECONDS,
                                check=False)
    except subprocess.TimeoutExpired:
        return f"took more than {LIMIT_SECONDS} s"
    lines = result.stderr.decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    hints = [line for line in lines if line.startswith("hint: ")]
    if result.returncode != code:
        return f"ended with {result.returncode} instead of {code}: {lines[:2]}"
    if result.stdout:
        return f"wrote to stdout: {result.stdout[:100]}"
    if len(errors) != 1 or len(hints) > 1:
        return f"wrote {len(errors)} error lines and {len(hints)} hints: {lines[:3]}"
    if len((errors + hints[:1])[0].encode()) > 1024 or any(len(line.encode()) > 1024 for line in hints):
        return "wrote a line above 1 kB"
    if any(ord(letter) < 32 for letter in errors[0]):
        return "wrote control characters"
    missing = [text for text in texts if text not in errors[0]]
    return f"does not say {missing}: {errors[0]}" if missing else None


def check_links(command_of, folder):
    """Weights behind a symbolic link and in a pipe, which cannot be kept in the repository."""
    source = os.path.join(folder, "external_past_end.onnx")
    with open(source, "rb") as file:
        model = file.read()
    for kind, text in (("link", "symbolic link"), ("pipe", "pipe")):
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "model.onnx")
            with open(path, "wb") as file:
                file.write(model)
            weights = os.path.join(place, "weights.bin")
            if kind == "link":
                os.symlink(os.path.join(os.path.abspath(folder), "weights.bin"), weights)
            else:
                os.mkfifo(weights)
            yield f"external data as a {kind}", check(command_of("load", path), 2, [text])


def main():
    program, folder = sys.argv[1], sys.argv[2]
    loader = "--loader" in sys.argv[3:]

    def command_of(how, path):
        return [program, path] if loader else [program, "inspect" if how == "load" else "run", path]

    if not loader:
        answer = subprocess.run([program, "inspect", "--help"], stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=LIMIT_SECONDS, check=False)
        if b"inspect" not in answer.stdout:
            print("SKIPPED: this ortool has no command inspect")
            return 77
    results = []
    with open(os.path.join(folder, "expected.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    for name, how, code, text in rows:
        if how == "load" or not loader:
            texts = [text, "node 'op' ("] if how == "run" else [text]
            results.append((name, check(command_of(how, os.path.join(folder, name)), int(code), texts)))
    results += check_links(command_of, folder)
    failures = [(name, problem) for name, problem in results if problem]
    for name, problem in failures:
        print(f"{name}: {problem}")
    print(f"{len(results)} files, {len(failures)} not refused as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
