#!/usr/bin/env bash
# Builds the wheel of apps/python from a build folder, installs it into a scratch folder, and runs its tests.
# usage: tests/python/run_tests.sh BUILD [PYTEST_ARGUMENT...]
# Exit code 77 without build/python, which tests/python/make_environment.sh creates.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
python=$root/build/python/bin/python
if [[ ! -x $python || ! -f $root/build/python/ortool-requirements ]]; then
  echo "python_package: SKIPPED: no build/python, because PyPI could not be reached; run tests/python/make_environment.sh"
  exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
export PATH="$root/build/python/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
ORTOOL_BUILD=$build ORTOOL_SCRATCH=$scratch/build "$python" -m pip wheel --quiet --disable-pip-version-check \
  --no-build-isolation --no-deps --no-index --wheel-dir "$scratch" "$root/apps/python"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target "$scratch/site" "$scratch"/ortool-*.whl
cd "$scratch"
PYTHONPATH=$scratch/site ORTOOL_ROOT=$root ORTOOL_PROGRAM=$build/bin/ortool \
  "$python" -m pytest -q -rs -p no:cacheprovider "$root/tests/python" "$@"

# A wheel for other machines holds all libraries that are not the base system's.
"$python" -m auditwheel repair --wheel-dir "$scratch/repaired" "$scratch"/ortool-*.whl >"$scratch/repair.log" 2>&1 || {
  tail -n 20 "$scratch/repair.log" >&2
  exit 1
}
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target "$scratch/repaired/site" "$scratch"/repaired/ortool-*-manylinux_*.whl
PYTHONPATH=$scratch/repaired/site "$python" "$root/tests/python/classify.py" "$root/testdata/digits/digits.onnx" | grep "^class 1 "
basename "$scratch"/repaired/ortool-*.whl
