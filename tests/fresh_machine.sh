#!/usr/bin/env bash
# Runs the two commands of the README on a minimal Debian 12 created with debootstrap; needs root and a network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tests/support/minimal_debian.sh"

usage="usage: tests/fresh_machine.sh [--keep] [--only quickstart|tests]
  --keep    leave the machine's folder behind and print where it is
  --only    run one of the two commands instead of both
Uses the committed state (HEAD) of this tree."
keep=no
only=
while (($# > 0)); do
  case "$1" in
    --keep) keep=yes ;;
    --only) only=${2:?$usage}; shift ;;
    *) echo "$usage" >&2; exit 2 ;;
  esac
  shift
done

machine=$(mktemp -d)
chmod 755 "$machine"  # its non-root users need access
clean_up() {
  local status=$?
  # Unmount first, so that removing the folder cannot touch this machine's own /dev.
  for place in dev/pts dev proc; do
    if mountpoint -q "$machine/$place"; then umount "$machine/$place" || umount -l "$machine/$place"; fi
  done
  if [[ $keep == yes ]]; then
    echo "fresh machine: kept in $machine"
  elif grep -q " $machine/" /proc/mounts; then
    echo "fresh machine: $machine is still mounted and was left behind" >&2
  else
    rm -rf --one-file-system "$machine"
  fi
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

minimal_debian "$machine" "fresh machine"
mount -t proc proc "$machine/proc"
mount --bind /dev "$machine/dev"
if [[ -d /dev/pts ]]; then mount --bind /dev/pts "$machine/dev/pts"; fi

echo "fresh machine: copying $(git -C "$root" rev-parse --short HEAD)"
mkdir -p "$machine/opt/ortool"
git -C "$root" archive HEAD | tar -x -C "$machine/opt/ortool"

on_machine() {
  local start=$SECONDS
  echo "fresh machine: $*"
  # A login environment: nothing but the proxy settings of this machine leaks in.
  env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot "$machine" "$@" </dev/null
  echo "fresh machine: $* took $((SECONDS - start)) s"
}
# Run from another folder, because the commands must work from anywhere.
if [[ $only != tests ]]; then on_machine bash /opt/ortool/apps/quickstart.sh; fi
if [[ $only != quickstart ]]; then on_machine bash /opt/ortool/tests/run.sh; fi
echo "fresh machine: success"
