#!/usr/bin/env bash
# Creates build/peers: a Python environment with pinned versions of the peers for tests and benchmarks.
# usage: tests/peers.sh [--with-openvino] [--with-tools] [--with-extensions]
#   --with-openvino   openvino, about 250 MB, for benchmarks only
#   --with-tools      onnxsim, and imports of onnxruntime's quantizer and shape inference (sympy, Pillow)
#   --with-extensions  onnxruntime-extensions, FarmHash, sentencepiece and tokenizers, references for tests/ops/contrib
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

requirements=(onnxruntime==1.31.1 onnx==1.23.2 numpy==2.4.6 jsonschema==4.26.0 pycocotools==2.0.11)
for option in "$@"; do
  case "$option" in
    --with-openvino) requirements+=(openvino==2026.4.1) ;;
    --with-tools) requirements+=(onnxsim==0.8.1 sympy==1.14.0 pillow==13.0.0) ;;
    --with-extensions) requirements+=(onnxruntime-extensions==0.15.2 pyfarmhash==0.5.1 sentencepiece==0.2.3
      tokenizers==0.23.3) ;;
    *) echo "usage: tests/peers.sh [--with-openvino] [--with-tools] [--with-extensions]" >&2; exit 2 ;;
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
# Packages installed before stay listed, unless their version changed now.
held=("${missing[@]}")
if [[ -f $stamp ]]; then
  for requirement in $(cat "$stamp"); do
    [[ " ${missing[*]}" == *" ${requirement%%==*}=="* ]] || held+=("$requirement")
  done
fi
echo "${held[*]}" >"$stamp"
echo "peers: build/peers holds ${held[*]}"
