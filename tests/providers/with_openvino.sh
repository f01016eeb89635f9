#!/usr/bin/env bash
# Runs a command with the OpenVINO that tests/peers.sh --with-openvino installed, unless ORTOOL_OPENVINO_DIR names one.
# usage: with_openvino.sh PEERS_PYTHON COMMAND [ARGUMENT…]
peers=$1
shift
if [[ -z ${ORTOOL_OPENVINO_DIR:-} ]]; then
  for folder in "${peers%/bin/python}"/lib/python3*/site-packages/openvino; do
    [[ -d $folder ]] && export ORTOOL_OPENVINO_DIR=$folder
  done
fi
exec "$@"
