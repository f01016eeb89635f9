#!/usr/bin/env bash
# Runs the two commands of the README on a minimal Debian 12 created with debootstrap; needs root and a network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage="usage: tests/fresh_machine.sh [--keep] [--only quickstart|tests]
  --keep    leave the machine's folder behind and print where it is
  --only    run one of the two commands instead of both
The committed state (HEAD) of this tree is what is tried."
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
chmod 755 "$machine"  # its users that are not root need the way in
clean_up() {
  local status=$?
  # Unmounted first, so that removing the folder cannot reach into this machine's own /dev.
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

# Debian's own archives for this release, as this machine's apt knows them: updates included.
archives=$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
  awk '$1 == "Packages" && $2 == "Debian" && $4 ~ /^bookworm/ && $5 == "main" {print "deb", $3, $4, $5}' |
  sort -u)
mirror=$(awk '$3 == "bookworm" {print $2; exit}' <<<"$archives")
if [[ -z "$mirror" ]]; then
  echo "error: this machine's apt sources name no archive of Debian 12 (bookworm)" >&2
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
  # How to reach the archives (proxies, certificates, dates), not what packages left there.
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
  # A login's environment and no more: nothing of this machine's leaks in but proxies.
  env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot "$machine" "$@" </dev/null
  echo "fresh machine: $* took $((SECONDS - start)) s"
}
# From another folder, because the commands must work from anywhere.
if [[ $only != tests ]]; then on_machine bash /opt/ortool/apps/quickstart.sh; fi
if [[ $only != quickstart ]]; then on_machine bash /opt/ortool/tests/run.sh; fi
echo "fresh machine: all went well"
