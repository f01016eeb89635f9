# Runs the command lines of a Markdown page and compares what they print with what the page shows.
"""usage: run_page.py PROGRAM PAGE TESTDATA

Each line `$ command` of a console block runs in one folder per page, which contains testdata. The lines below it are
everything that the command prints, on stdout or stderr; a line `...` stands for any lines, `*` for any text within one.
A command without lines below it may print anything.
Numbers match within a relative error of 1e-4, since processors differ in the last digits. Commands with an error line
below them fail, all others succeed.
"""
import os
import re
import subprocess
import sys
import tempfile

_TIMEOUT_SECONDS = 120


def read_cases(path):
    """The text of each command in console blocks, and the lines below it."""
    cases, is_console = [], False
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("```"):
                is_console = line == "```console"
            elif is_console and line.startswith("$ "):
                cases.append((line[2:], []))
            elif is_console:
                cases[-1][1].append(line)
    return cases


def is_word(found, wanted):
    try:
        return abs(float(found) - float(wanted)) <= 1e-4 * abs(float(wanted))
    except ValueError:
        return found == wanted


def is_line(found, wanted):
    if "*" in wanted:
        pattern = ".*".join(re.escape(part) for part in wanted.split("*"))
        return re.fullmatch(pattern, found) is not None
    words, others = found.split(), wanted.split()
    return len(words) == len(others) and all(map(is_word, words, others))


def match(lines, wanted):
    """Whether the `wanted` lines are all of `lines`; `...` stands for any number of them."""
    if not wanted:
        return not lines
    if wanted[0] == "...":
        return any(match(lines[i:], wanted[1:]) for i in range(len(lines) + 1))
    return bool(lines) and is_line(lines[0], wanted[0]) and match(lines[1:], wanted[1:])


def main():
    program, page, testdata = sys.argv[1:]
    cases, wrong = read_cases(page), 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(testdata), os.path.join(folder, "testdata"))
        environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ["PATH"])
        for command, wanted in cases:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_TIMEOUT_SECONDS, check=False)
            printed = done.stdout.decode().split("\n")
            if printed[-1] == "":
                printed.pop()
            fails = any(line.startswith("error: ") for line in wanted)
            is_shown = not wanted or match(printed, wanted)
            if is_shown and (done.returncode != 0) == fails:
                continue
            wrong += 1
            print(f"$ {command}\nexit code {done.returncode}, it prints something else:")
            print("\n".join("| " + line for line in printed))
    print(f"{len(cases) - wrong} of {len(cases)} command lines behave as {os.path.basename(page)} shows")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
