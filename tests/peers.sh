#!/usr/bin/env bash
# Makes build/peers: the Python environment with the peers that tests and benchmarks compare with, versions pinned.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

requirements=(onnxruntime==1.31.1 onnx==1.23.2 numpy==2.4.6 jsonschema==4.26.0)
stamp=build/peers/ortool-requirements
if [[ -f $stamp && "$(cat "$stamp")" == "${requirements[*]}" ]]; then
  echo "peers: build/peers is ready"
  exit 0
fi
mkdir -p build
python3 -m venv build/peers
build/peers/bin/pip install --quiet --disable-pip-version-check "${requirements[@]}"
echo "${requirements[*]}" >"$stamp"
echo "peers: build/peers holds ${requirements[*]}"
