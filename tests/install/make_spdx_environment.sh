#!/usr/bin/env bash
# Creates build/spdx: a Python environment with spdx-tools, which validates the SBOM of packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

requirements="spdx-tools==0.8.3"
stamp=build/spdx/ortool-requirements
if [[ -f $stamp && "$(cat "$stamp")" == "$requirements" ]]; then
  echo "spdx: build/spdx is ready"
  exit 0
fi
mkdir -p build
python3 -m venv build/spdx
# shellcheck disable=SC2086
build/spdx/bin/pip install --quiet --disable-pip-version-check $requirements
echo "$requirements" >"$stamp"
echo "spdx: build/spdx holds $requirements"
