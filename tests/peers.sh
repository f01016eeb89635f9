#!/usr/bin/env bash
# Makes build/peers: the Python environment with the peers that tests and benchmarks compare with, versions pinned.
# usage: tests/peers.sh [--with-openvino] [--with-tools]
#   --with-openvino   openvino, some 250 MB, takes part in benchmarks only
#   --with-tools      onnxsim, and what onnxruntime's quantizer and shape inference import (sympy, Pillow)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

requirements=(onnxruntime==1.31.1 onnx==1.23.2 numpy==2.4.6 jsonschema==4.26.0)
for option in "$@"; do
  case "$option" in
    --with-openvino) requirements+=(openvino==2026.4.1) ;;
    --with-tools) requirements+=(onnxsim==0.8.1 sympy==1.14.0 pillow==13.0.0) ;;
    *) echo "usage: tests/peers.sh [--with-openvino] [--with-tools]" >&2; exit 2 ;;
  esac
done
stamp=build/peers/ortool-requirements
missing=()
for requirement in "${requirements[@]}"; do
  [[ -f $stamp && " $(cat "$stamp") " == *" $requirement "* ]] || missing+=("$requirement")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "peers: build/peers is ready"
  exit 0
fi
mkdir -p build
python3 -m venv build/peers
build/peers/bin/pip install --quiet --disable-pip-version-check "${missing[@]}"
# What was there stays, in the version that is asked for now.
held=("${missing[@]}")
if [[ -f $stamp ]]; then
  for requirement in $(cat "$stamp"); do
    [[ " ${missing[*]}" == *" ${requirement%%==*}=="* ]] || held+=("$requirement")
  done
fi
echo "${held[*]}" >"$stamp"
echo "peers: build/peers holds ${held[*]}"
