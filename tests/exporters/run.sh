#!/usr/bin/env bash
# Makes models with the exporters of PyPI, and runs, optimizes and quantizes them with ortool beside onnxruntime.
# usage: tests/exporters/run.sh [PROGRAM [OPTION…]]
#   PROGRAM   build/release/bin/ortool
#   OPTION    of check_models.py, such as --only merged --steps all,static
# build/exporters holds the Python environment (1.9 GB, 1 GB of downloads) and the models (700 MB); what is there stays.
# Exit code 77 where the environment cannot be made.
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
  command -v cc >/dev/null && command -v nm >/dev/null || skip "cc and binutils are not there"
  rm -rf "$environment"
  mkdir -p build/exporters
  python3 -m venv "$environment" || skip "python3 makes no virtual environment"
  "$python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$here/requirements.txt" ||
    skip "pip cannot install $here/requirements.txt"
  "$python" "$here/make_cuda_stubs.py" "$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/torch/lib"
  cp "$here/requirements.txt" "$environment/requirements.txt"
fi
"$python" "$here/make_models.py" build/exporters/models
exec "$python" "$here/check_models.py" "$program" build/exporters/models "$@"
