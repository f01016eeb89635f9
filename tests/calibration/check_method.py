# Without --calibration-method, calibration chooses the method whose file is closest to the float model.
"""usage: check_method.py PROGRAM MODEL DATA.npz"""
import json
import os
import subprocess
import sys
import tempfile


def quantize(program, model, data, folder, *options):
    output = os.path.join(folder, "int8.onnx")
    command = [program, "quantize", model, "-o", output, "--calibration-data", data, "--samples", "20", "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    with open(output, "rb") as file:
        return json.loads(done.stdout), file.read()


def main(program, model, data):
    with tempfile.TemporaryDirectory() as folder:
        document, chosen = quantize(program, model, data, folder)
        trials = document["method_trials"]
        found = []
        if trials[0]["method"] != document["calibration"]["method"]:
            found.append(f"the trials {trials} do not lead to {document['calibration']['method']}")
        if sorted(trial["method"] for trial in trials if not trial["fits_weights"]) != ["auto", "minmax", "mse", "percentile"]:
            found.append(f"not every method was tried: {trials}")
        if len([trial for trial in trials if trial["fits_weights"]]) != 1:
            found.append(f"not one method was tried with fitted weights: {trials}")
        highest = max(trial["sqnr_db"] for trial in trials)
        if (document["method_preference"] is None) != (trials[0]["sqnr_db"] == highest):
            found.append(f"{document['method_preference']!r} is no reason for the choice of {trials}")
        for trial in trials:
            if not trial["fits_weights"]:
                continue
            alone, file = quantize(program, model, data, folder, "--calibration-method", trial["method"])
            told = [other for other in alone["method_trials"] if other["fits_weights"]]
            if told != [trial] or len(alone["method_trials"]) != 2:
                found.append(f"as an option, {trial} was evaluated as {alone['method_trials']}")
            if trial is trials[0] and file != chosen:
                found.append(f"the file of --calibration-method {trial['method']} differs")
        _, fast = quantize(program, model, data, folder, "--recipe", "fast")
        _, least = quantize(program, model, data, folder, "--recipe", "fast", "--calibration-method", "mse")
        if fast != least:
            found.append("the recipe fast does not use the mean squared error")
    for each in found:
        print(each)
    print(f"{len(found)} findings; trials {trials}")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
