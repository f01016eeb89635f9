#!/usr/bin/env bash
# The test command: installs what is missing, builds the release preset, and runs every test in it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash apps/install_packages.sh --with-browser

if [[ -d ../shared/models ]]; then
  echo "tests: the shared material is at ../shared; tests of whole models take part"
else
  echo "tests: SKIPPED: whole models, because there is no ../shared beside this tree"
fi
if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
  echo "tests: $(nvidia-smi -L | head -n 1)"
else
  echo "tests: SKIPPED: everything on a GPU, because this machine shows none"
fi

if ! bash tests/peers.sh; then
  echo "tests: SKIPPED: comparisons with PyPI's onnx and onnxruntime, because they could not be installed"
fi

cmake --preset release
cmake --build --preset release --parallel "$(nproc)"
ctest --preset release --parallel "$(nproc)" --timeout 300 --no-tests=error "$@" </dev/null
