#!/usr/bin/env bash
# Runs the two commands of the README on a minimal Debian 12 created with debootstrap; needs root and a network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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

if ((EUID != 0)); then
  echo "error: debootstrap needs root" >&2
  exit 2
fi
if ! command -v debootstrap >/dev/null; then
  echo "error: debootstrap is missing" >&2
  echo "hint: apt-get install debootstrap" >&2
  exit 2
fi

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

# Debian's archives for this release from this machine's apt sources, including updates.
archives=$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
  awk '$1 == "Packages" && $2 == "Debian" && $4 ~ /^bookworm/ && $5 == "main" {print "deb", $3, $4, $5}' |
  sort -u)
mirror=$(awk '$3 == "bookworm" {print $2; exit}' <<<"$archives")
if [[ -z "$mirror" ]]; then
  echo "error: the apt sources of this machine list no Debian 12 (bookworm) archive" >&2
  echo "hint: on a Debian 12 machine, run apt-get update first" >&2
  exit 2
fi

echo "fresh machine: debootstrap"
debootstrap --variant=minbase --include=ca-certificates bookworm "$machine" "$mirror" >"$machine.log" 2>&1 || {
  tail -n 20 "$machine.log" >&2
  exit 1
}
rm -f "$machine.log"

echo "$archives" >"$machine/etc/apt/sources.list"
for folder in /etc/apt/apt.conf.d /etc/apt/auth.conf.d; do
  # Only the settings for reaching the archives (proxies, certificates, dates), not those that packages installed.
  grep -lsE '^[[:space:]]*(Acquire::(http|https|Check|Retries)|machine )' "$folder"/* 2>/dev/null |
    xargs -r cp -t "$machine/$folder" || true
done
cp /etc/resolv.conf "$machine/etc/resolv.conf"
cp /etc/hosts "$machine/etc/hosts"
if [[ -s /etc/ssl/certs/ca-certificates.crt ]]; then
  cp /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/ca-certificates.crt"
fi
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
