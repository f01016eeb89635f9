#!/usr/bin/env bash
# Makes build/peers: the Python environment with the peers that tests and benchmarks compare with, versions pinned.
# usage: tests/peers.sh [--with-openvino]   openvino, some 250 MB, takes part in benchmarks only
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

requirements=(onnxruntime==1.31.1 onnx==1.23.2 numpy==2.4.6 jsonschema==4.26.0)
case "${1-}" in
  --with-openvino) requirements+=(openvino==2026.4.1) ;;
  "") ;;
  *) echo "usage: tests/peers.sh [--with-openvino]" >&2; exit 2 ;;
esac
stamp=build/peers/ortool-requirements
if [[ -f $stamp && "$(cat "$stamp")" == "${requirements[*]}"* ]]; then
  echo "peers: build/peers is ready"
  exit 0
fi
mkdir -p build
python3 -m venv build/peers
build/peers/bin/pip install --quiet --disable-pip-version-check "${requirements[@]}"
echo "${requirements[*]}" >"$stamp"
echo "peers: build/peers holds ${requirements[*]}"
