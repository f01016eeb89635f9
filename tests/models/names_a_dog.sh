#!/usr/bin/env bash
# Image classification: the top class of SqueezeNet for the photo of a dog must be a dog (ImageNet classes 151 to 268).
set -euo pipefail
program=$1
shared=$2
if [[ ! -f $shared/data/photos/dog.jpg ]]; then
  echo "SKIPPED: there is no photo in ../shared"
  exit 77
fi
labels=$shared/data/imagenet-labels/labels.txt
output=$("$program" run "$shared/models/squeezenet-imagenet-fp32" --input "data_0=$shared/data/photos/dog.jpg" \
  --image data_0=resize:256,crop:224,order:bgr,mean:103.939/116.779/123.68 --top 5 --labels "$labels")
echo "$output"
first=$(grep -m 1 -F -f "$labels" <<<"$output")
grep -q -F -f <(sed -n 152,269p "$labels") <<<"$first"
