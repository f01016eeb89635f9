#!/usr/bin/env bash
# Runs fuzzers for MINUTES in parallel: bash tests/fuzz/run.sh MINUTES [wire_reader|text_parser|load_and_infer|run_model ...]
# The corpus stays in build/fuzz/corpus; a finding (crash, sanitizer report, more than 25 s or 1 GiB) is saved
# in build/fuzz/findings and makes this script exit with code 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [[ $# -lt 1 || ! $1 =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
  sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
if ! command -v clang++ >/dev/null; then
  echo "fuzz: SKIPPED: there is no clang++ (Debian: clang and libclang-rt-14-dev)"
  exit 77
fi
seconds=$(awk -v minutes="$1" 'BEGIN { printf "%d", minutes * 60 }')
shift
fuzzers=("$@")
[[ ${#fuzzers[@]} -gt 0 ]] || fuzzers=(wire_reader text_parser load_and_infer run_model)

folder=build/fuzz
cmake --preset fuzz >/dev/null
cmake --build "$folder" --target "${fuzzers[@]/%/_fuzzer}" case_models >"$folder/build.log" || { tail -n 40 "$folder/build.log"; exit 1; }
rm -rf "$folder/seeds"
mkdir -p "$folder/seeds"
python3 tests/fuzz/make_seeds.py . "$folder/seeds"
"$folder/bin/case_models" "$folder/seeds/run_model" testdata/ops/*.txt >/dev/null

# 64 KiB is large enough to trigger every rule; the memory limits include the sanitizer's overhead.
limits=(-max_len=65536 -timeout=25 -rss_limit_mb=1024 -malloc_limit_mb=512 -print_final_stats=1)
export ASAN_OPTIONS=allocator_may_return_null=0:detect_stack_use_after_return=1:symbolize=1
export UBSAN_OPTIONS=print_stacktrace=1
if [[ -d /dev/shm ]]; then export TMPDIR=/dev/shm; fi

# Restarts after a finding while time remains, at most 20 times.
fuzz() {
  local fuzzer=$1 end=$((SECONDS + seconds)) runs=0
  local findings=$folder/findings/$fuzzer
  while ((SECONDS < end && runs < 20)); do
    runs=$((runs + 1))
    "$findings/program" "$folder/corpus/$fuzzer" "$folder/seeds/$fuzzer" "${limits[@]}" -max_total_time=$((end - SECONDS)) \
      -dict="$folder/seeds/dictionary" -artifact_prefix="$findings/" >>"$findings/log" 2>&1 || true
  done
}

pids=()
for fuzzer in "${fuzzers[@]}"; do
  mkdir -p "$folder/corpus/$fuzzer" "$folder/findings/$fuzzer"
  # A copy, so that a build during the run does not replace the program.
  cp "$folder/bin/${fuzzer}_fuzzer" "$folder/findings/$fuzzer/program"
  : >"$folder/findings/$fuzzer/log"
  fuzz "$fuzzer" &
  pids+=($!)
done
trap 'kill "${pids[@]}" 2>/dev/null' INT TERM
for pid in "${pids[@]}"; do wait "$pid" || true; done

found=0
for fuzzer in "${fuzzers[@]}"; do
  findings=$folder/findings/$fuzzer
  count=$(find "$findings" -name 'crash-*' -o -name 'timeout-*' -o -name 'oom-*' -o -name 'leak-*' | wc -l)
  runs=$(awk '/number_of_executed_units/ { sum += $2 } END { print sum + 0 }' "$findings/log")
  echo "$fuzzer: $runs runs, $(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$findings/log" | tail -n 1), $count findings in $findings"
  found=$((found + count))
done
[[ $found -eq 0 ]]
