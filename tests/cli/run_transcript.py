# Runs one transcript: command lines, what they print on stdout and stderr, and their exit codes.
"""A transcript is a text file. Lines that start with # are comments. Each case is

    $ ortool run {digits}/digits.onnx > {tmp}/out.txt      a shell line (bash)
    1> pattern                   a line of stdout; "1> ..." matches any number of lines
    2> pattern                   a line of stderr
    exit 2

In patterns, * matches any text within a line and \\* a star. A stream without lines is not checked; `1> -` means that
it is empty. {tmp}, {testdata} and {digits} stand for folders, `ortool` for the program.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

_TIMEOUT_SECONDS = 300


def read_cases(path):
    cases = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            if line.startswith("$ "):
                cases.append({"line": number, "command": line[2:], "1": None, "2": None, "exit": None})
            elif line.startswith(("1> ", "2> ")):
                stream = line[0]
                cases[-1][stream] = (cases[-1][stream] or []) + [line[3:]]
            elif re.fullmatch(r"exit \d+", line):
                cases[-1]["exit"] = int(line[5:])
            else:
                raise SystemExit(f"{path}:{number}: cannot be read: {line}")
    for case in cases:
        if case["exit"] is None:
            raise SystemExit(f"{path}:{case['line']}: has no exit line")
    return cases


def fits_line(line, pattern):
    pieces = [piece.replace("\\*", "*") for piece in re.split(r"(?<!\\)\*", pattern)]
    return re.fullmatch(".*".join(map(re.escape, pieces)), line) is not None


def fits(lines, patterns):
    """Whether the lines match the patterns; "..." matches any number of lines."""
    if patterns == ["-"]:
        return not lines
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(fits(lines[skip:], patterns[1:]) for skip in range(len(lines) + 1))
    return bool(lines) and fits_line(lines[0], patterns[0]) and fits(lines[1:], patterns[1:])


def run_case(case, arguments, folder):
    words = {"tmp": folder, "testdata": arguments.testdata, "digits": os.path.join(arguments.testdata, "digits"),
             "python": sys.executable, "checks": os.path.dirname(os.path.abspath(__file__))}
    replace = lambda text: re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), text)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LC_")}
    environment.update(PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"], LC_ALL="C.UTF-8", ORTOOL_PROGRESS="none")
    try:
        done = subprocess.run(["bash", "-c", replace(case["command"])], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"line {case['line']}: $ {case['command']}\n  timed out after {_TIMEOUT_SECONDS} s")
        return False
    problems = []
    if done.returncode != case["exit"]:
        problems.append(f"exit code {done.returncode} (expected {case['exit']})")
    for stream, raw in (("1", done.stdout), ("2", done.stderr)):
        if case[stream] is None:
            continue
        lines = raw.decode("utf-8", errors="replace").splitlines()
        if not fits(lines, [replace(pattern) for pattern in case[stream]]):
            problems.append(f"stream {stream} does not match")
    if problems:
        print(f"line {case['line']}: $ {case['command']}")
        for problem in problems:
            print(f"  {problem}")
        for stream, raw in (("1", done.stdout), ("2", done.stderr)):
            for line in raw.decode("utf-8", errors="replace").splitlines()[:30]:
                print(f"  {stream}| {line}")
    return not problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--testdata", required=True)
    parser.add_argument("transcript")
    arguments = parser.parse_args()
    arguments.testdata = os.path.abspath(arguments.testdata)
    # A process that timed out may still write there.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(os.path.abspath(arguments.program), os.path.join(folder, "bin", "ortool"))
        results = [run_case(case, arguments, folder) for case in read_cases(arguments.transcript)]
    print(f"{sum(results)} of {len(results)} cases as expected")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
