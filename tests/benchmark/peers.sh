#!/usr/bin/env bash
# Makes the Python environment with the peers that benchmarks measure against, versions pinned.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python3 -m venv build/peers
build/peers/bin/pip install --quiet onnxruntime==1.31.1 onnx==1.23.2 numpy==2.4.6
echo "ready: build/peers/bin/python tests/benchmark/compare_onnxruntime.py --help"
