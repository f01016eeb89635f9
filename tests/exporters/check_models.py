# Runs, optimizes and quantizes the exporters' models with ortool, and compares the results with onnxruntime.
"""usage: check_models.py PROGRAM FOLDER [--only PART,PART] [--steps STEP,STEP] [--jobs 2] [--keep FOLDER]

FOLDER is the output of make_models.py. Prints a row for each model and the reason for every failure. Exit 1 if a step
fails that is not in known_gaps.txt, or if one listed there passes; 77 if there are no models.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import shutil
import sys
import tempfile

import steps

_KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_gaps.txt")


def read_gaps():
    """(pattern of models, patterns of steps, whether they pass on some processors, reason) of each line that is no comment."""
    gaps = []
    with open(_KNOWN, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                models, step_names, reason = line.strip().split(None, 2)
                gaps.append((models, step_names.removeprefix("?").split(","), step_names.startswith("?"), reason))
    return gaps


def gap_of(gaps, model, step):
    for index, (models, names, _, _) in enumerate(gaps):
        if fnmatch.fnmatchcase(model, models) and any(fnmatch.fnmatchcase(step, name) for name in names):
            return index
    return None


def check_model(program, folder, wanted, keep):
    """For each step None, or what is wrong."""
    with tempfile.TemporaryDirectory() as scratch:
        model = steps.Model(program, folder, scratch)
        results = {}
        for name in wanted:
            try:
                results[name] = steps.STEPS[name](model)
            except Exception as error:  # pylint: disable=broad-except
                results[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        if keep and any(results.values()):
            shutil.copytree(scratch, os.path.join(keep, os.path.basename(folder)), dirs_exist_ok=True)
        return results


def judge(gaps, used, model, results):
    """The row of the table, and a line for each failure."""
    cells, lines = [], []
    for step, problem in results.items():
        gap = gap_of(gaps, model, step)
        if gap is not None:
            used.setdefault(gap, []).append(problem is not None)
        if problem is None:
            cells.append("ok")
        elif gap is not None:
            cells.append("gap")
        else:
            cells.append("FAIL")
            lines.append(f"{model}: {step}: {problem}")
    return cells, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--steps", default=",".join(steps.STEPS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    parts = [part for part in arguments.only.split(",") if part]
    wanted = arguments.steps.split(",")
    folders = sorted(entry.path for entry in os.scandir(os.path.abspath(arguments.folder))
                     if os.path.exists(os.path.join(entry.path, "model.onnx")) and not entry.name.endswith(".part")
                     and (not parts or any(part in entry.name for part in parts)))
    if not folders:
        print(f"SKIPPED: no models in {arguments.folder}")
        return 77
    gaps, used, wrong, counts = read_gaps(), {}, [], {"ok": 0, "gap": 0, "FAIL": 0}
    width = max(len(os.path.basename(folder)) for folder in folders)
    print(f"{'':{width}}  " + " ".join(f"{step:>11}" for step in wanted))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        done = pool.map(lambda folder: check_model(arguments.program, folder, wanted, arguments.keep), folders)
        for folder, results in zip(folders, done):
            name = os.path.basename(folder)
            cells, lines = judge(gaps, used, name, results)
            for cell in cells:
                counts[cell] += 1
            print(f"{name:{width}}  " + " ".join(f"{cell:>11}" for cell in cells), flush=True)
            for line in lines:
                print(f"    {line}", flush=True)
            wrong += lines
    for gap, failed in used.items():
        if not any(failed) and not gaps[gap][2]:
            wrong.append(f"known_gaps.txt: {gaps[gap][0]} {','.join(gaps[gap][1])} no longer fails")
            print(wrong[-1])
    print(f"{len(folders)} models, {len(folders) * len(wanted)} steps: {counts['ok']} right, {counts['gap']} known gaps, "
          f"{counts['FAIL']} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
