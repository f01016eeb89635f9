#!/usr/bin/env bash
# The list of Debian packages for building and testing; installs the missing ones.
# --with-browser adds the headless browser (300 MB) that the HTML tests use, --with-lintian what checks packages (90 MB),
# --aarch64 the cross compiler and the emulator for aarch64 (500 MB), and libraries of arm64 Debian in a folder of build.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config git binutils dpkg-dev xz-utils
  libprotobuf-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev
  libpng-dev libjpeg-dev libwebp-dev libtiff-dev libgif-dev libopenjp2-7-dev libsndfile1-dev
  zlib1g-dev libzip-dev libre2-dev libsentencepiece-dev libssl-dev libdnnl-dev
  libxnnpack-dev libpthreadpool-dev
  catch2 protobuf-compiler libonnx-dev libonnx-testdata
  python3 python3-dev python3-jsonschema python3-numpy python3-onnx python3-venv
)

list=no
sysroot=no
for option in "$@"; do
  case $option in
    --with-browser) packages+=(chromium) ;;
    --with-lintian) packages+=(lintian) ;;
    --aarch64)
      packages+=(g++-aarch64-linux-gnu qemu-user-static)
      sysroot=yes
      ;;
    --list) list=yes ;;
    *)
      echo "usage: apps/install_packages.sh [--with-browser] [--with-lintian] [--aarch64] [--list]" >&2
      exit 2
      ;;
  esac
done
if [[ $list == yes ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

make_sysroot() {
  if [[ $sysroot == yes ]]; then
    bash "$(dirname "${BASH_SOURCE[0]}")/../cmake/toolchains/debian_sysroot.sh" \
      "$(dirname "${BASH_SOURCE[0]}")/../build/aarch64-sysroot"
  fi
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "packages: not a Debian system, so nothing is checked; required, by their Debian 12 names:" >&2
  echo "  ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == "installed" ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "packages: all ${#packages[@]} are installed"
  make_sysroot
  exit 0
fi
echo "packages: missing ${missing[*]}"

as_root=()
if ((EUID != 0)); then
  as_root=(sudo)
  # Without a terminal no password can be entered: fail at once instead of waiting for one.
  [[ -t 0 ]] || as_root=(sudo -n)
  if ! command -v sudo >/dev/null || ! "${as_root[@]}" true; then
    echo "error: installing packages needs root, and sudo is not usable here" >&2
    echo "hint: as root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi

apt() {
  # sudo runs env, so that apt-get gets the variable even if sudo resets the environment.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 "$@" </dev/null
}
apt update || echo "packages: the package lists could not be refreshed; continuing with the existing ones" >&2
if ! apt install --no-install-recommends "${missing[@]}"; then
  echo "error: apt-get could not install ${missing[*]}" >&2
  echo "hint: check the network and the package sources (Debian 12, main), then run this again" >&2
  exit 1
fi
make_sysroot
