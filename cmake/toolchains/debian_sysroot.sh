#!/usr/bin/env bash
# Sysroot of arm64 Debian for cross compilation: the C library and the libraries that ortool is built with, downloaded by
# apt-get and unpacked, not installed: debian_sysroot.sh FOLDER, or other packages of arm64: debian_sysroot.sh FOLDER
# PACKAGE... Needs no root, and leaves the machine's packages alone; several -dev packages (libsentencepiece-dev,
# libxnnpack-dev, catch2) could not be installed for two architectures.
set -euo pipefail

if (($# == 0)); then
  echo "usage: cmake/toolchains/debian_sysroot.sh FOLDER [PACKAGE...]" >&2
  exit 2
fi
packages=(
  libstdc++-12-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev
  libpng-dev libjpeg-dev libwebp-dev libtiff-dev libgif-dev libopenjp2-7-dev libsndfile1-dev
  zlib1g-dev libzip-dev libre2-dev libsentencepiece-dev libssl-dev libprotobuf-dev libonnx-dev catch2
)
(($# == 1)) || packages=("${@:2}")
mkdir -p "$1"
root=$(cd "$1" && pwd)
if [[ -f $root/.packages && $(<"$root/.packages") == "${packages[*]}" ]]; then
  echo "sysroot: $root is complete"
  exit 0
fi

# apt-get with lists, a cache and a status of its own, in which nothing is installed yet.
apt_state=$(mktemp -d)
trap 'rm -rf "$apt_state"' EXIT
mkdir -p "$apt_state/lists/partial" "$apt_state/cache/archives/partial"
: >"$apt_state/status"
apt() {
  apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$apt_state" \
    -o Dir::State::status="$apt_state/status" -o Dir::Cache="$apt_state/cache" -o Dir::Etc::Parts=/dev/null \
    -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false -o Acquire::Languages=none \
    -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 "$@" </dev/null
}
if ! apt update || ! apt --download-only install "${packages[@]}"; then
  echo "error: the packages of arm64 Debian could not be downloaded" >&2
  echo "hint: check the network and the package sources (Debian 12, main), then run this again" >&2
  exit 1
fi
for archive in "$apt_state"/cache/archives/*.deb; do
  dpkg-deb -x "$archive" "$root"
done
# Absolute links would lead out of the sysroot.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfn --relative "$root$(readlink "$link")" "$link"
done
echo "${packages[*]}" >"$root/.packages"
echo "sysroot: $root has $(find "$apt_state/cache/archives" -name '*.deb' | wc -l) packages"
