#!/usr/bin/env bash
# The test command: installs missing packages, builds the release preset, and runs all its tests; with --aarch64 first,
# cross-compiles for aarch64 instead, and runs the tests in an emulator of the processor ORTOOL_QEMU_CPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == --aarch64 ]]; then
  if ! bash apps/install_packages.sh --aarch64; then
    echo "tests: SKIPPED: aarch64, because the cross compiler, its libraries or the emulator could not be installed"
    exit 0
  fi
  if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    echo "tests: SKIPPED: aarch64, because there is no cross compiler (g++-aarch64-linux-gnu)"
    exit 0
  fi
  cmake --preset aarch64
  cmake --build --preset aarch64 --parallel "$(nproc)"
  if ! command -v qemu-aarch64-static >/dev/null && ! command -v qemu-aarch64 >/dev/null; then
    echo "tests: SKIPPED: aarch64 is built but not run, because there is no emulator (qemu-user-static)"
    exit 0
  fi
  processors=${ORTOOL_QEMU_CPU:-max}
  [[ $processors == all ]] && processors="cortex-a72 cortex-a76 max"
  status=0
  for processor in $processors; do
    echo "tests: on an emulated $processor; ORTOOL_QEMU_CPU chooses another processor, or all for one of each level"
    ORTOOL_QEMU_CPU=$processor ctest --preset aarch64 --parallel "$(nproc)" --timeout 3600 --no-tests=error "${@:2}" \
      </dev/null || status=1
  done
  exit "$status"
fi

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
