#!/usr/bin/env bash
# Creates build/dask: a Python environment with Dask, for the examples of docs/manual/13-more-than-one-machine.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

requirements="dask==2026.8.0 distributed==2026.8.0 numpy==2.4.6"
stamp=build/dask/ortool-requirements
if [[ -f $stamp && "$(cat "$stamp")" == "$requirements" ]]; then
  echo "shard: build/dask is ready"
  exit 0
fi
mkdir -p build
python3 -m venv build/dask
# shellcheck disable=SC2086
build/dask/bin/pip install --quiet --disable-pip-version-check $requirements
echo "$requirements" >"$stamp"
echo "shard: build/dask holds $requirements"
