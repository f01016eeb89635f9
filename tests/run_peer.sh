#!/usr/bin/env bash
# Runs a script with the Python of tests/peers.sh; skips aloud (exit 77) where that is absent.
# usage: run_peer.sh PYTHON SCRIPT [ARGUMENT…]
if [[ ! -x $1 ]]; then
  echo "skipped: there is no $1 (tests/peers.sh makes it)"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
exec "$@"
