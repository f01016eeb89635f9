#!/usr/bin/env python3
# Models that onnx's checker accepts must have no errors in inspect --check.
"""Usage: checks_agree.py ORTOOL FOLDER...  (needs PyPI's onnx). Exit 77: nothing to test."""
import json
import os
import subprocess
import sys

try:
    import onnx
except ImportError:
    print("SKIPPED: this Python has no onnx")
    sys.exit(77)

# Above this size onnx's checker takes too much memory; ortool's time does not depend on it.
MOST_BYTES = 64 << 20


def models_below(folders):
    for folder in folders:
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith(".onnx"):
                    yield os.path.join(place, name)


def onnx_refuses(path):
    """The error of onnx's checker for the model, or None."""
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as problem:  # its exceptions have no common base
        return str(problem).strip().splitlines()[0][:160]
    return None


def errors_of(program, path):
    result = subprocess.run([program, "inspect", "--check", "--json", "--max-elements", "0", path],
                            stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    report = json.loads(result.stdout)
    findings = report.get("findings")
    if findings is None:
        return [{"rule": f"exit {result.returncode}", "node": None, "message": result.stderr.decode()[:200]}]
    errors = [finding for finding in findings if finding["severity"] == "error"]
    if (result.returncode == 2) != bool(errors):
        return [{"rule": f"exit {result.returncode}", "node": None, "message": f"with {len(errors)} errors"}]
    return errors


def main():
    program, folders = sys.argv[1], [folder for folder in sys.argv[2:] if os.path.isdir(folder)]
    checked, disagreements, stricter = 0, [], 0
    for path in models_below(folders):
        if os.path.getsize(path) > MOST_BYTES:
            continue
        checked += 1
        refused = onnx_refuses(path)
        errors = errors_of(program, path)
        if errors and refused is None:
            disagreements.append((path, errors))
        elif refused is not None and not errors:
            stricter += 1
            print(f"only onnx refuses {path}: {refused}")
    for path, errors in disagreements:
        for error in errors[:3]:
            print(f"{path}: {error['rule']}: {error['node'] or ''} {error['message']}"[:300])
    if checked == 0:
        print("SKIPPED: no models to compare")
        return 77
    print(f"{checked} models, {len(disagreements)} with errors that onnx's checker does not see, {stricter} that only it "
          "refuses")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
