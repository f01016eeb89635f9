#!/usr/bin/env bash
# Runs the tests of the Python package with several versions of CPython: one wheel for all, each in an environment of its own.
# usage: tests/python/run_versions.sh BUILD PYTHON... [-- PYTEST_ARGUMENT...]
# PYTHON is an interpreter, such as python3.13 or ~/.pyenv/versions/3.9.18/bin/python. Takes numpy, onnx, ml_dtypes and pytest from
# PyPI, into build/python-versions.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
interpreters=()
while [[ $# -gt 0 && $1 != -- ]]; do
  interpreters+=("$1")
  shift
done
[[ $# -gt 0 ]] && shift
if [[ ${#interpreters[@]} -eq 0 ]]; then
  echo "usage: tests/python/run_versions.sh BUILD PYTHON... [-- PYTEST_ARGUMENT...]" >&2
  exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
export PYTHONDONTWRITEBYTECODE=1
python=$root/build/python/bin/python
PATH="$root/build/python/bin:$PATH" ORTOOL_BUILD=$build ORTOOL_SCRATCH=$scratch/build "$python" -m pip wheel --quiet \
  --disable-pip-version-check --no-build-isolation --no-deps --no-index --wheel-dir "$scratch" "$root/apps/python"

failed=()
for interpreter in "${interpreters[@]}"; do
  version=$("$interpreter" -c 'import platform; print(platform.python_version())')
  environment=$root/build/python-versions/$version
  if [[ ! -x $environment/bin/pytest ]]; then
    "$interpreter" -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check numpy onnx ml_dtypes pytest
  fi
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall \
    "$scratch"/ortool-*.whl
  echo "== CPython $version, numpy $("$environment/bin/python" -c 'import numpy; print(numpy.__version__)')"
  (cd "$scratch" && ORTOOL_ROOT=$root ORTOOL_PROGRAM=$build/bin/ortool "$environment/bin/python" -m pytest -q -rs -p no:cacheprovider \
    "$root/tests/python" "$@") || failed+=("$version")
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "failed: ${failed[*]}"
  exit 1
fi
