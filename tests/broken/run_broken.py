#!/usr/bin/env python3
# Opens every broken model and checks that it is rejected as specified in testdata/broken/expected.tsv.
"""Usage: run_broken.py PROGRAM FOLDER [--loader] [--sanitizer]

PROGRAM is ortool, or with --loader a program that only loads the given file. Exit 77: nothing to test.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading

LIMIT_SECONDS = 5
MOST_BYTES = 256 << 20  # of memory, for files this small


def kill(pid):
    """Unlike Popen.kill(), which also waits for a process that has ended: wait4() then finds none."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Result:
    """A command's output, exit status and peak memory."""

    def __init__(self, command):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            timer = threading.Timer(LIMIT_SECONDS, kill, [process.pid])
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            self.took_too_long = not timer.is_alive()
            timer.cancel()
            process.returncode = self.code = os.waitstatus_to_exitcode(status)
            self.memory_bytes = usage.ru_maxrss * 1024
            out.seek(0)
            err.seek(0)
            self.stdout, self.stderr = out.read(), err.read()

    def problem(self, code):
        """What is wrong with the way it ended, or None."""
        if self.took_too_long:
            return f"took more than {LIMIT_SECONDS} s"
        if self.code != code:
            return f"ended with {self.code} instead of {code}: {self.stderr.splitlines()[:2]}"
        # Sanitizers need additional memory.
        if self.memory_bytes > MOST_BYTES and "--sanitizer" not in sys.argv:
            return f"took {self.memory_bytes >> 20} MB of memory"
        return None


def check(command, code, texts):
    """What is wrong with the way the command was refused, or None."""
    result = Result(command)
    if result.problem(code):
        return result.problem(code)
    lines = result.stderr.decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    hints = [line for line in lines if line.startswith("hint: ")]
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


def check_findings(program, path, code, rule):
    """inspect --check: a document with findings for every file, and the right exit code."""
    result = Result([program, "inspect", path, "--check", "--json"])
    if code is not None and result.problem(code):
        return f"--check {result.problem(code)}"
    if result.took_too_long or result.code not in (0, 2, 5):
        return f"--check ended with {result.code}: {result.stderr.splitlines()[:2]}"
    try:
        findings = json.loads(result.stdout).get("findings")
    except ValueError as problem:
        return f"--check wrote no JSON: {problem}"
    if not findings:
        return "--check has no findings"
    errors = [finding["rule"] for finding in findings if finding["severity"] == "error"]
    if (result.code == 2) != bool(errors):
        return f"--check ended with {result.code}, its errors being {errors}"
    rules = [finding["rule"] for finding in findings]
    return f"--check reports {sorted(set(rules))}, not {rule}" if rule and rule not in rules else None


def check_links(command_of, folder):
    """Weights behind a symbolic link and in a pipe, which cannot be stored in the repository."""
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
        path, code = os.path.join(folder, name), int(code)
        if how == "load":
            results.append((name, check(command_of("load", path), code, [text])))
        elif loader:
            continue
        elif how == "check":
            results.append((name, check_findings(program, path, code, text)))
        elif how == "look":
            results.append((name, check([program, "inspect", path], code, [text, "node 'op' ("])))
        elif how == "look_unnamed":
            results.append((name, check([program, "inspect", path], code, [text])))
        elif how == "input":
            model = os.path.join(folder, "good.onnx")
            results.append((name, check([program, "run", model, "--input", f"x={path}"], code, [text])))
        else:
            results.append((name, check(command_of("run", path), code, [text, "node 'op' ("])))
        if not loader and how in ("load", "look", "look_unnamed", "run"):
            results.append((name, check_findings(program, path, None, None)))
    results += check_links(command_of, folder)
    failures = [(name, problem) for name, problem in results if problem]
    for name, problem in failures:
        print(f"{name}: {problem}")
    print(f"{len(rows)} files, {len(results)} checks, {len(failures)} with a wrong outcome")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
