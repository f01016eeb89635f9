#!/usr/bin/env bash
# Tests on a machine with an NVIDIA GPU: operator cases, whole models against the cpu, compute-sanitizer, and a benchmark
# beside PyTorch. Usage: tests/gpu/run.sh [--build FOLDER] [--out FOLDER] [--only cases,models,sanitizer,bench] [MODEL.onnx...]
# Without a GPU it says so and exits with 77.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build="$root/build/release"
out="$root/build/gpu"
steps=cases,models,sanitizer,bench
models=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --only) steps=$2; shift 2 ;;
    *) models+=("$1"); shift ;;
  esac
done
mkdir -p "$out"
if ! nvidia-smi -L > "$out/gpu.txt" 2>&1; then
  echo "SKIPPED: there is no NVIDIA GPU here (nvidia-smi says: $(head -1 "$out/gpu.txt"))"
  exit 77
fi
cat "$out/gpu.txt"
# cuBLASLt and cuDNN of PyTorch's packages, where it is installed; else the loader's.
libraries=$(python3 - <<'PYTHON' 2>/dev/null
import glob, os, site, sysconfig
folders = {sysconfig.get_paths()["purelib"], *site.getsitepackages()}
found = [os.path.dirname(path) for folder in folders
         for path in glob.glob(folder + "/nvidia/**/libcudnn.so.9", recursive=True) +
         glob.glob(folder + "/nvidia/**/libcublasLt.so.1[23]", recursive=True)]
print(":".join(sorted(set(found))))
PYTHON
)
export LD_LIBRARY_PATH="$build/lib:$build/needed:$libraries:${LD_LIBRARY_PATH:-}"
has() { case ",$steps," in *",$1,"*) return 0 ;; *) return 1 ;; esac; }
failed=0
"$build/bin/ortool" providers || failed=1
# Loads the module by auto, and reads clocks by NVML.
"$build/bin/ortool" bench "$root/testdata/digits/digits.onnx" --iterations 20 -q || failed=1

if has cases; then
  echo "== operator cases"
  "$build/bin/cuda_op_cases" --gpu "$root"/testdata/ops/*.txt > "$out/cases.txt" 2>&1 || failed=1
  grep -v "refused" "$out/cases.txt" | tail -n 60
fi
if has models; then
  echo "== models: outputs on the GPU beside those on the cpu"
  for model in ${models[@]+"${models[@]}"}; do
        timeout 100 "$build/bin/cuda_check_models" "$model" 2>&1 | grep -v "^debug" | tail -n 6
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
  done
fi
if has sanitizer; then
  echo "== compute-sanitizer"
  for tool in memcheck racecheck; do
    for file in softmax conv matmul layer_normalization attention gather reduce_sum resize; do
      [ -f "$root/testdata/ops/$file.txt" ] || continue
      timeout 40 compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/bin/cuda_op_cases" --gpu \
        "$root/testdata/ops/$file.txt" > "$out/$tool.$file.txt" 2>&1
      code=$?
      echo "$tool $file: exit $code, $(grep -h 'SUMMARY' "$out/$tool.$file.txt" | head -n 1)"
      [ "$code" = 9 ] && failed=1
    done
  done
fi
if has bench; then
  echo "== benchmark beside PyTorch"
  python3 "$here/compare_pytorch.py" "$build/bin/cuda_check_models" "$out" --export || failed=1
  python3 "$here/compare_pytorch.py" "$build/bin/cuda_check_models" "$out" || failed=1
fi
exit "$failed"
