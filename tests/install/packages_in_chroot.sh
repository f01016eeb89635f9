#!/usr/bin/env bash
# Installs the Debian packages in a bare Debian 12, compiles the manual's programs from them, runs them and removes all.
# usage: tests/install/packages_in_chroot.sh BUILD
# BUILD has packages/*.deb, which cpack made. Exit code 77 without root, debootstrap, the packages or a network.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tests/support/minimal_debian.sh"

skip() {
  echo "packages in a chroot: SKIPPED: $1"
  exit 77
}
((EUID == 0)) || skip "debootstrap needs root"
command -v debootstrap >/dev/null || skip "debootstrap is missing (apt-get install debootstrap)"
build=${1:?usage: tests/install/packages_in_chroot.sh BUILD}
compgen -G "$build/packages/*.deb" >/dev/null || skip "$build/packages has no packages: run cpack in $build"

scratch=$(mktemp -d)
machine=$scratch/machine
chmod 755 "$scratch"
clean_up() {
  local status=$?
  if mountpoint -q "$machine/proc"; then umount "$machine/proc" || umount -l "$machine/proc"; fi
  if grep -q " $machine/" /proc/mounts; then
    echo "packages in a chroot: $machine is still mounted and was left behind" >&2
  else
    rm -rf --one-file-system "$scratch"
  fi
  exit "$status"
}
trap clean_up EXIT
mkdir "$machine"
minimal_debian "$machine" "packages in a chroot" || skip "no minimal Debian 12 could be made"
# Compilers look for themselves there.
mount -t proc proc "$machine/proc"

mkdir "$machine/opt/packages" "$machine/opt/manual" "$machine/opt/data"
cp "$build"/packages/*.deb "$machine/opt/packages"
cp "$root"/tests/install/consumer/{classify.cpp,classify_abi.cpp,classify_c.c,quantize_and_measure.cpp,own_rule.cpp,own_operator.cpp,main.cpp,CMakeLists.txt} \
  "$root/tests/python/classify.py" "$machine/opt/manual"
cp -r "$root/tests/install/custom_ops" "$machine/opt/manual"
cp "$root"/testdata/digits/{digits.onnx,digit-7.png,labels.txt,evaluation.npz} "$root/testdata/custom_ops/scale.onnx" "$machine/opt/data"

on_machine() {
  env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    chroot "$machine" bash -euo pipefail -c "$1" </dev/null
}
apt_log=$scratch/apt.log
apt() {
  on_machine "apt-get -q -y --no-install-recommends $1" >"$apt_log" 2>&1 || {
    tail -n 20 "$apt_log" >&2
    echo "error: apt-get $1 failed" >&2
    exit 1
  }
}
expect() {
  [[ $1 == *"$2"* ]] || { echo "error: expected '$2', got: $1" >&2; exit 1; }
}

apt update
apt "install /opt/packages/ortool_*.deb /opt/packages/libortool0_*.deb"
echo "packages in a chroot: the program, with what the dependencies bring"
expect "$(on_machine 'ortool run /opt/data/digits.onnx --input image=/opt/data/digit-7.png --top 1 --labels /opt/data/labels.txt')" "1  seven"
expect "$(on_machine 'ldconfig -p')" "libortool_c.so.0"
expect "$(on_machine 'cat /usr/share/bash-completion/completions/ortool')" "complete"

apt "install /opt/packages/*.deb gcc g++ make cmake pkg-config"
echo "packages in a chroot: C, C++, Python and a custom operator of the manual"
# One program after the other, by the compiler alone; then all by CMake.
on_machine 'cd /opt/manual && gcc -std=c99 -Wall -Wextra -pedantic -Werror classify_c.c -o classify_c $(pkg-config --cflags --libs ortool_c)
  g++ -std=c++17 -Wall -Wextra -pedantic -Werror classify_abi.cpp -o classify_abi $(pkg-config --cflags --libs ortool_c)
  g++ -std=c++20 classify.cpp -o classify $(pkg-config --cflags --libs ortool)
  gcc -std=c99 -Wall -Wextra -pedantic -Werror -O2 -fPIC -shared custom_ops/scale.c -o libscale.so'
for program in ./classify_c ./classify_abi ./classify 'python3 classify.py'; do
  expect "$(on_machine "cd /opt/manual && $program /opt/data/digits.onnx")" "class 1 with score"
done
expect "$(on_machine 'cd /opt/data && ortool run scale.onnx --custom-ops /opt/manual/libscale.so --compare optimize=none')" "y: matches"
expect "$(on_machine 'python3 -c "import importlib.metadata, ortool; print(importlib.metadata.version(\"ortool\"), ortool.__version__)"')" "$(sed -n 's/^project(ortool VERSION \([0-9.]*\).*/\1 \1/p' "$root/CMakeLists.txt")"
on_machine 'cmake -S /opt/manual -B /opt/cmake -DWANTED_VERSION= && cmake --build /opt/cmake &&
  cmake -S /opt/manual/custom_ops -B /opt/cmake_ops && cmake --build /opt/cmake_ops' >"$scratch/cmake.log" 2>&1 || {
  tail -n 20 "$scratch/cmake.log" >&2
  exit 1
}
expect "$(on_machine '/opt/cmake/classify_c /opt/data/digits.onnx')" "class 1 with score"
expect "$(on_machine '/opt/cmake/quantize_and_measure /opt/data/digits.onnx /opt/data/evaluation.npz /opt/data/int8.onnx')" "median"
expect "$(on_machine 'ortool run /opt/data/scale.onnx --custom-ops /opt/cmake_ops/libscale.so --compare optimize=none')" "y: matches"
expect "$(on_machine 'dpkg --verify ortool libortool0 libortool-dev python3-ortool && echo unchanged')" "unchanged"

apt "purge ortool libortool0 libortool-dev python3-ortool"
left=$(on_machine 'find / -xdev -path /opt -prune -o -path /proc -prune -o -name "*ortool*" -print')
[[ -z $left ]] || { echo "error: removing the packages left: $left" >&2; exit 1; }
echo "packages in a chroot: success"
