#!/usr/bin/env bash
# The test command: installs missing packages, builds the release preset, and runs all its tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash apps/install_packages.sh --with-browser --with-lintian

if [[ -d ../shared/models ]]; then
  echo "tests: ../shared is present; tests of whole models are included"
else
  echo "tests: SKIPPED: whole models, because there is no ../shared next to this tree"
fi
if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
  echo "tests: $(nvidia-smi -L | head -n 1)"
else
  echo "tests: SKIPPED: GPU tests, because this machine has no GPU"
fi

if ! bash tests/peers.sh; then
  echo "tests: SKIPPED: comparisons with PyPI's onnx and onnxruntime, because they could not be installed"
fi

if ! bash tests/python/make_environment.sh; then
  echo "tests: SKIPPED: the Python package, because its build environment could not be installed from PyPI"
fi

if ! bash tests/shard/make_environment.sh; then
  echo "tests: SKIPPED: the Dask example, because Dask could not be installed from PyPI"
fi

if ! bash tests/install/make_spdx_environment.sh; then
  echo "tests: SKIPPED: the validation of SBOMs, because spdx-tools could not be installed from PyPI"
fi

cmake --preset release
cmake --build --preset release --parallel "$(nproc)"
ctest --preset release --parallel "$(nproc)" --timeout 300 --no-tests=error "$@" </dev/null
