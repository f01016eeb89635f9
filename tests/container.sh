#!/usr/bin/env bash
# Builds the container image of apps/Containerfile and classifies a digit in it; needs podman, buildah or docker.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$root/tests/support/minimal_debian.sh"

usage="usage: tests/container.sh [--base IMAGE | --debootstrap]
  --base IMAGE    the image of Debian 12 to start from (debian:12)
  --debootstrap   make that image with debootstrap, for machines that reach Debian's archive but no registry (root)
Exit code 77 if there is no container engine, or if it cannot get the base image."
base=debian:12
debootstrap=no
while (($# > 0)); do
  case "$1" in
    --base) base=${2:?$usage}; shift ;;
    --debootstrap) debootstrap=yes ;;
    *) echo "$usage" >&2; exit 2 ;;
  esac
  shift
done

skip() {
  echo "container: SKIPPED: $1"
  exit 77
}

engine=
for candidate in podman docker buildah; do
  # A client without its service is not an engine.
  if command -v "$candidate" >/dev/null && timeout 120 "$candidate" info >/dev/null 2>&1; then
    engine=$candidate
    break
  fi
done
[[ -n $engine ]] || skip "no container engine (podman, docker or buildah) works on this machine"
# Inside another container only this isolation needs no further rights.
export BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}

scratch=$(mktemp -d)
container=
clean_up() {
  [[ -z $container ]] || buildah rm "$container" >/dev/null
  rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT

if [[ $debootstrap == yes ]]; then
  base=localhost/ortool-debian:12
  mkdir "$scratch/debian"
  minimal_debian "$scratch/debian" container
  if [[ $engine == buildah ]]; then
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$scratch/debian" / >/dev/null
    buildah commit --quiet "$container" "$base" >/dev/null
    buildah rm "$container" >/dev/null
    container=
  else
    tar -C "$scratch/debian" -c . | "$engine" import - "$base" >/dev/null
  fi
  rm -rf --one-file-system "$scratch/debian"
elif ! timeout 300 "$engine" pull "$base" >"$scratch/pull.log" 2>&1; then
  skip "$engine cannot get the image $base: $(tail -n 1 "$scratch/pull.log")"
fi

start=$SECONDS
"$engine" build --build-arg BASE="$base" -t ortool -f "$root/apps/Containerfile" "$root" >"$scratch/build.log" 2>&1 || {
  tail -n 30 "$scratch/build.log" >&2
  exit 1
}
echo "container: $engine built the image in $((SECONDS - start)) s"

in_image() {
  if [[ $engine == buildah ]]; then
    buildah run --volume "$scratch/mounted:/work" "$container" -- /opt/ortool/bin/ortool "$@"
  else
    "$engine" run --rm --volume "$scratch/mounted:/work" ortool "$@"
  fi
}
mkdir "$scratch/mounted"
cp "$root"/testdata/digits/{digits.onnx,digit-7.png,labels.txt} "$scratch/mounted"
[[ $engine != buildah ]] || container=$(buildah from ortool)
in_image run digits.onnx digit-7.png --top 1 --labels labels.txt --report report.json | tee "$scratch/printed"
grep -q "1  seven" "$scratch/printed" || { echo "error: the image does not classify the digit" >&2; exit 1; }
in_image optimize digits.onnx -o smaller.onnx >/dev/null
[[ -s $scratch/mounted/report.json && -s $scratch/mounted/smaller.onnx ]] || { echo "error: the image does not write into the mounted folder" >&2; exit 1; }
echo "container: success"
