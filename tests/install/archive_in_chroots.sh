#!/usr/bin/env bash
# Starts the archive's program in the userlands of Debian 11 to 13 and Ubuntu 22.04 and 24.04, which debootstrap unpacks.
# usage: tests/install/archive_in_chroots.sh BUILD [RELEASE...]
# BUILD has packages/ortool-*.tar.xz, which cpack made. Exit code 77 without root, debootstrap, the archive or a network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tests/support/minimal_debian.sh"

skip() {
  echo "archive in chroots: SKIPPED: $1"
  exit 77
}
((EUID == 0)) || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "debootstrap is missing (apt-get install debootstrap)"
build=${1:?usage: tests/install/archive_in_chroots.sh BUILD [RELEASE...]}
shift
archive=$(compgen -G "$build/packages/ortool-*-linux-x86_64.tar.xz") || skip "$build/packages has no archive: run cpack in $build"
releases=("$@")
((${#releases[@]} > 0)) || releases=(bullseye bookworm trixie jammy noble)

scratch=$(mktemp -d)
chmod 755 "$scratch"
trap 'rm -rf --one-file-system "$scratch"' EXIT
keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg

# unpack_release NAME FOLDER: the base packages of a release, unpacked but not configured, which is all that starting a
# program needs; so none of their scripts runs.
unpack_release() {
  local name=$1 folder=$2 options=(--foreign --variant=minbase)
  case $name in
    jammy | noble)
      [[ -f $keys ]] || get_ubuntu_keys || return
      # Debian 12's debootstrap knows the mirror of Ubuntu's releases, but not noble's name; all have the same script.
      debootstrap "${options[@]}" "--keyring=$keys" "$name" "$folder" "" /usr/share/debootstrap/scripts/jammy
      ;;
    *)
      debootstrap "${options[@]}" "$name" "$folder" "$(debian_mirror)"
      ;;
  esac >"$scratch/$name.log" 2>&1
}

get_ubuntu_keys() {
  local package
  echo "archive in chroots: Ubuntu's keys are those of Debian 13's package ubuntu-archive-keyring"
  mkdir -p "$scratch/keys"
  debootstrap --foreign --variant=minbase --include=ubuntu-archive-keyring trixie "$scratch/keys" "$(debian_mirror)" >"$scratch/keys.log" 2>&1 || return
  for package in "$scratch"/keys/var/cache/apt/archives/ubuntu-keyring_*.deb; do dpkg-deb --extract "$package" "$scratch/keys"; done
  keys=$scratch/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
  [[ -f $keys ]]
}

tried=0
for release in "${releases[@]}"; do
  userland=$scratch/$release
  if ! unpack_release "$release" "$userland"; then
    echo "archive in chroots: SKIPPED: $release, which debootstrap cannot unpack: $(tail -n 1 "$scratch/$release.log" "$scratch/keys.log" 2>/dev/null | tail -n 1)"
    continue
  fi
  mkdir -p "$userland/opt"
  tar -C "$userland/opt" --no-same-owner -xf "$archive"
  mv "$userland"/opt/ortool-* "$userland/opt/moved"
  cp "$root"/testdata/digits/{digits.onnx,digit-7.png,labels.txt} "$userland/opt"
  ortool() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$userland" /opt/moved/bin/ortool "$@"
  }
  printed=$(ortool run /opt/digits.onnx --input image=/opt/digit-7.png --top 1 --labels /opt/labels.txt)
  [[ $printed == *"1  seven"* ]] || { echo "error: in $release the program prints: $printed" >&2; exit 1; }
  ortool bench /opt/digits.onnx --isolate --iterations 3 >/dev/null
  (. "$userland/etc/os-release" && echo "archive in chroots: starts on $PRETTY_NAME, $(chroot "$userland" /usr/bin/ldd --version | head -n 1)")
  tried=$((tried + 1))
  rm -rf --one-file-system "$userland"
done
((tried > 0)) || skip "no release could be unpacked"
echo "archive in chroots: success in $tried of ${#releases[@]} userlands"
