#!/usr/bin/env bash
# Runs a script with the peers' Python of tests/peers.sh; if it is missing, says so and skips (exit code 77).
# usage: run_peer.sh PYTHON SCRIPT [ARGUMENT…]
if [[ ! -x $1 ]]; then
  echo "skipped: there is no $1 (tests/peers.sh creates it)"
  exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
exec "$@"
