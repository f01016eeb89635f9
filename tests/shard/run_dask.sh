#!/usr/bin/env bash
# Runs the Dask example with the Python package of a build folder; exit code 77 without build/dask and build/python.
# usage: tests/shard/run_dask.sh BUILD SHARED
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
shared=$2
python=$root/build/dask/bin/python
if [[ ! -f $root/build/dask/ortool-requirements ]]; then
  echo "shard: SKIPPED: no build/dask, because PyPI could not be reached; run tests/shard/make_environment.sh"
  exit 77
fi
if [[ ! -f $root/build/python/ortool-requirements ]]; then
  echo "shard: SKIPPED: no build/python, because PyPI could not be reached; run tests/python/make_environment.sh"
  exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
export PYTHONDONTWRITEBYTECODE=1
PATH=$root/build/python/bin:$PATH ORTOOL_BUILD=$build ORTOOL_SCRATCH=$scratch/build "$root/build/python/bin/python" -m pip wheel \
  --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index --wheel-dir "$scratch" "$root/apps/python"
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target "$scratch/site" "$scratch"/ortool-*.whl
# A killed worker is no news.
export PYTHONPATH=$scratch/site DASK_LOGGING__DISTRIBUTED=critical
# Ten thousand digits where they are there, else those of the tree.
if [[ -d $shared/data/mnist-t10k ]]; then
  model=$shared/models/mnist-cnn/model.onnx
  data=$("$python" "$root/tests/models/make_sets.py" mnist "$shared" "$scratch/digits" --raw --input Input3)
else
  model=$root/testdata/digits/digits.onnx
  data=$root/testdata/digits/evaluation.npz
fi
cd "$scratch"
"$python" "$root/tests/shard/check_dask.py" "$model" "$data" "$scratch/out"
