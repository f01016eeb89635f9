#!/usr/bin/env bash
# Builds the committed state a second time, in another folder and without ccache, and compares all packages by SHA-256.
# usage: tests/install/reproducible.sh BUILD [FOLDER]
# BUILD is a finished build of the same commit with packages/, which cpack made. FOLDER is where to build (a temporary one).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?usage: tests/install/reproducible.sh BUILD [FOLDER]}" && pwd)
if [[ -n ${2:-} ]]; then
  folder=$2
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf --one-file-system "$folder"' EXIT
fi
if [[ -n "$(git -C "$root" status --porcelain)" ]]; then
  echo "error: the tree has changes that are not committed, so both builds would differ" >&2
  exit 2
fi
commit=$(git -C "$root" rev-parse --short=12 HEAD)
if ! grep -q "\"$commit\"" "$build/generated/version.cpp"; then
  echo "error: $build was configured for another commit than $commit" >&2
  echo "hint: configure and build again, then run cpack there" >&2
  exit 2
fi
compgen -G "$build/packages/*" >/dev/null || { echo "error: $build/packages is empty" >&2; echo "hint: run cpack in $build" >&2; exit 2; }

# A clone, since the commit is compiled in.
[[ -d $folder/another/place ]] || git clone -q "$root" "$folder/another/place"
git -C "$folder/another/place" fetch -q "$root" HEAD
git -C "$folder/another/place" checkout -q "$(git -C "$root" rev-parse HEAD)"
cd "$folder/another/place"
start=$SECONDS
# Without a launcher no ccache; without tests only what packages contain.
cmake --preset release -DCMAKE_CXX_COMPILER_LAUNCHER= -DORTOOL_BUILD_TESTS=OFF >"$folder/configure.log"
nice cmake --build --preset release --parallel "$(nproc)" >"$folder/build.log"
(cd build/release && cpack >"$folder/cpack.log")
echo "reproducible: the second build took $((SECONDS - start)) s"

status=0
for package in "$build"/packages/*.deb "$build"/packages/*.tar.xz; do
  other=build/release/packages/$(basename "$package")
  if [[ $(sha256sum <"$package") == "$(sha256sum <"$other")" ]]; then
    echo "same       $(sha256sum "$package" | cut -c1-64)  $(basename "$package")"
  else
    echo "DIFFERENT  $(basename "$package")"
    status=1
  fi
done
exit "$status"
