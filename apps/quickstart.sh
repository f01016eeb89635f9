#!/usr/bin/env bash
# Sets up a fresh Debian 12 machine, builds ortool, and classifies a handwritten digit with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash apps/install_packages.sh
cmake --preset release
cmake --build --preset release --target ortool_program --parallel "$(nproc)"

echo
command=(build/release/bin/ortool run testdata/digits/digits.onnx
  --input image=testdata/digits/digit-7.png --top 3 --labels testdata/digits/labels.txt)
echo "\$ ${command[*]}"
"${command[@]}"
