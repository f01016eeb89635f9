#!/usr/bin/env bash
# Runs the program on a model's folder; skips aloud where the folder is not there.
set -euo pipefail
program=$1
model=$2
shift 2
if [[ ! -d $model ]]; then
  echo "SKIPPED: $(basename "$model") is not beside this tree"
  exit 77
fi
exec "$program" run "$model" "$@"
