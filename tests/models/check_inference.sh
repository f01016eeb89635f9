#!/usr/bin/env bash
# Runs check_inference over the installed backend tests and those next to the tree, which it unpacks temporarily.
# usage: check_inference.sh PROGRAM EXCEPTIONS INSTALLED_FOLDER ARCHIVE_FOLDER
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
folders=("$3")
for archive in node node-head node-history; do
  if [[ -f $4/$archive.tar.xz ]]; then
    tar -xJf "$4/$archive.tar.xz" -C "$folder"
    folders=("$3" "$folder")
  fi
done
if ((${#folders[@]} == 1)); then echo "SKIPPED: newer backend tests, because there are none next to the tree"; fi
"$1" "$2" "${folders[@]}"
