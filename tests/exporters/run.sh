#!/usr/bin/env bash
# Makes models with exporters from PyPI; runs, optimizes and quantizes them with ortool and compares with onnxruntime.
# usage: tests/exporters/run.sh [PROGRAM [OPTION…]]
#   PROGRAM   build/release/bin/ortool
#   OPTION    an option of check_models.py, such as --only merged --steps all,static
# build/exporters keeps the Python environments (2.3 GB, 1.1 GB of downloads) and the models (700 MB) between runs.
# Exit code 77 if the environment cannot be created.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=${1:-build/release/bin/ortool}
shift || true
here=tests/exporters
environment=build/exporters/environment
python=$environment/bin/python
export PYTHONDONTWRITEBYTECODE=1

skip() {
  echo "SKIPPED: $1" >&2
  exit 77
}

if ! cmp -s "$here/requirements.txt" "$environment/requirements.txt"; then
  command -v cc >/dev/null && command -v nm >/dev/null || skip "cc or binutils are missing"
  rm -rf "$environment"
  mkdir -p build/exporters
  python3 -m venv "$environment" || skip "python3 cannot create a virtual environment"
  "$python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt" ||
    skip "pip cannot install $here/requirements.txt"
  "$python" "$here/make_cuda_stubs.py" "$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/torch/lib"
  cp "$here/requirements.txt" "$environment/requirements.txt"
fi
# The environment of onnxruntime-genai's model builder finds torch and the rest in the first one.
builder=build/exporters/genai
if ! cmp -s "$here/genai_requirements.txt" "$builder/requirements.txt"; then
  rm -rf "$builder"
  python3 -m venv "$builder" || skip "python3 cannot create a virtual environment"
  paths='import sysconfig; print(sysconfig.get_paths()["purelib"])'
  "$PWD/$python" -c "$paths" >"$("$builder/bin/python" -c "$paths")/shared.pth"
  "$builder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --ignore-installed \
    -r "$here/genai_requirements.txt" || skip "pip cannot install $here/genai_requirements.txt"
  cp "$here/genai_requirements.txt" "$builder/requirements.txt"
fi
"$python" "$here/make_models.py" build/exporters/models
exec "$python" "$here/check_models.py" "$program" build/exporters/models "$@"
