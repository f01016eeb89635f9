# Runs the command lines of README.md and finds what it says they print.
"""usage: run_readme.py PROGRAM README TESTDATA

Each line `$ ortool …` of a console block runs in a folder of its own beside testdata. The lines under it are printed by the
command, in this order, on stdout or stderr, numbers to one part in ten thousand, since processors differ in the last digits; a
README may leave lines out. Commands under which an error stands fail, no others.
"""
import os
import subprocess
import sys
import tempfile

_TIMEOUT_SECONDS = 120


def read_cases(path):
    """For each command of a console block its text, and the lines under it."""
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
    words, others = found.split(), wanted.split()
    return len(words) == len(others) and all(map(is_word, words, others))


def first_missing(lines, wanted):
    """The first of `wanted` that `lines` do not hold behind those before it; None when they hold all."""
    rest = iter(lines)
    return next((line for line in wanted if not any(is_line(found, line) for found in rest)), None)


def main():
    program, readme, testdata = sys.argv[1:]
    cases, wrong = read_cases(readme), 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.abspath(testdata), os.path.join(folder, "testdata"))
        environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ["PATH"])
        for command, wanted in cases:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=_TIMEOUT_SECONDS, check=False)
            printed = done.stdout.decode().split("\n")
            missing = first_missing(printed, wanted)
            fails = any(line.startswith("error: ") for line in wanted)
            if missing is None and (done.returncode != 0) == fails:
                continue
            wrong += 1
            print(f"$ {command}\nexit code {done.returncode}, and not printed: {missing}")
            print("\n".join("| " + line for line in printed))
    print(f"{len(cases) - wrong} of {len(cases)} command lines do what the README says")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
