#!/usr/bin/env bash
# onnxruntime for aarch64 with the Python that runs it in an emulator: make_peer.sh FOLDER. Python comes from arm64 Debian,
# wheels from PyPI; nothing is installed.
set -euo pipefail

if (($# != 1)); then
  echo "usage: tests/benchmark/aarch64/make_peer.sh FOLDER" >&2
  exit 2
fi
bash "$(dirname "${BASH_SOURCE[0]}")/../../../cmake/toolchains/debian_sysroot.sh" "$1" python3.11 libstdc++6
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.11 --implementation cp \
  --platform manylinux2014_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux_2_27_aarch64 \
  --platform manylinux_2_28_aarch64 --dest "$wheels" "onnxruntime${ORTOOL_ONNXRUNTIME:+==$ORTOOL_ONNXRUNTIME}" numpy
rm -rf "$1/site-packages"
for wheel in "$wheels"/*.whl; do
  python3 -m zipfile -e "$wheel" "$1/site-packages"
  echo "peer: ${wheel##*/}"
done
# qemu's user mode shows programs the file of the machine that it runs on, which onnxruntime takes for a broken one.
mkdir -p "$1/proc"
for processor in 0 1; do
  printf '%s\t: %s\n' processor "$processor" Features "fp asimd" "CPU implementer" 0x41 "CPU architecture" 8 \
    "CPU variant" 0x1 "CPU part" 0xd0b "CPU revision" 1
  echo
done >"$1/proc/cpuinfo"
