#!/usr/bin/env bash
# Runs the Slurm example of docs/manual/13-more-than-one-machine.md: sets up munge and Slurm on this host in a scratch folder,
# submits the array and the job that merges, kills a task in between, and compares with one process.
# usage: tests/shard/slurm.sh PROGRAM [SHARED]; root, with Debian's slurmctld, slurmd, slurm-client and munge.
# Exit code 77 where one of them is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "$1")
shared=${2:-$root/../shared}
for tool in munged slurmctld slurmd sbatch; do
  if ! PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null; then
    echo "slurm: SKIPPED: no $tool; install it with: apt-get install slurmctld slurmd slurm-client munge"
    exit 77
  fi
done
if ((EUID != 0)); then
  echo "slurm: SKIPPED: setting up Slurm needs root"
  exit 77
fi

scratch=$(mktemp -d /tmp/ortool-slurm.XXXXXX)
pids=()
finish() {
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf --one-file-system "$scratch"
}
trap finish EXIT
chmod 755 "$scratch"
mkdir -p "$scratch/state" "$scratch/spool" "$scratch/jobs" "$scratch/bin"
ln -s "$program" "$scratch/bin/ortool"
head -c 1024 /dev/urandom >"$scratch/munge.key"
chmod 400 "$scratch/munge.key"
read -r controller_port node_port < <(python3 - <<'PYTHON'
import socket
held = [socket.socket() for _ in range(2)]
for each in held:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in held))
PYTHON
)
cat >"$scratch/slurm.conf" <<CONF
ClusterName=scratch
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$scratch/slurm.conf PATH=$scratch/bin:$PATH:/usr/sbin

fail() {
  echo "slurm: FAILED: $1" >&2
  tail -n 20 "$scratch"/*.log "$scratch"/jobs/*.log >&2 || true
  exit 1
}
munged --foreground --force --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" --pid-file="$scratch/munged.pid" \
  --log-file="$scratch/munged.log" --seed-file="$scratch/munged.seed" 2>"$scratch/munged.err.log" &
pids+=($!)
slurmctld -D >"$scratch/slurmctld.out.log" 2>&1 &
pids+=($!)
slurmd -D >"$scratch/slurmd.out.log" 2>&1 &
pids+=($!)
for ((i = 0; ; ++i)); do
  [[ $(sinfo -h -o %T 2>/dev/null) == idle ]] && break
  ((i < 60)) || fail "the node is not ready after 30 s"
  sleep 0.5
done
echo "slurm: $(sinfo --version), one node"

# Ten thousand digits where they are there, else those of the tree.
cd "$scratch/jobs"
if [[ -d $shared/data/mnist-t10k ]]; then
  export MODEL=$shared/models/mnist-cnn/model.onnx
  input=$(ortool inspect "$MODEL" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["graph"]["inputs"][0]["name"])')
  DATA=$(python3 "$root/tests/models/make_sets.py" mnist "$shared" "$scratch/jobs/digits" --raw --input "$input")
  export DATA
else
  export MODEL=$root/testdata/digits/digits.onnx DATA=$root/testdata/digits/evaluation.npz
fi
array=$(sbatch --parsable --export=ALL "$root/tests/shard/digits.sbatch")
merge=$(sbatch --parsable --export=ALL --dependency=afterok:"$array" "$root/tests/shard/merge.sbatch")
# A task is killed in between: requeueing kills it and runs it again with the same variables.
for ((i = 0; ; ++i)); do
  running=$(squeue -h -t RUNNING -j "$array" -o %A | head -n 1)
  [[ -n $running ]] && scontrol requeue "$running" && break
  ((i < 300)) || fail "no task was running"
  sleep 0.1
done
echo "slurm: task $running killed and queued again"
for ((i = 0; ; ++i)); do
  state=$(scontrol show job "$merge" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
  [[ $state == COMPLETED ]] && break
  [[ $state == FAILED || $state == CANCELLED ]] && fail "the merge is $state"
  # Tasks that were requeued wait two minutes by default; the test does not.
  for held in $(squeue -h -t PENDING -j "$array" -o %A 2>/dev/null); do
    scontrol update JobId="$held" StartTime=now 2>/dev/null || true
  done
  ((i < 600)) || fail "the merge is still $state after 300 s"
  sleep 0.5
done

ortool quantize "$MODEL" --calibrate-only --calibration-data "$DATA" --calibration-cache one.calibration --threads 1 -q >/dev/null
ortool run "$MODEL" --data "$DATA" --metric top1 --threads 1 --report one.json -q
ortool quantize "$MODEL" -o one.onnx --calibration-cache one.calibration --recipe fast -q >/dev/null
cmp model.calibration one.calibration
cmp int8.onnx one.onnx
python3 - <<'PYTHON'
import json
whole, merged = (json.load(open(path))["dataset"] for path in ("one.json", "report.json"))
assert whole == merged, (whole, merged)
PYTHON
grep -h "^top1" merge.sbatch-"$merge".log
echo "slurm: the calibration, the report and the int8 model of 7 tasks are those of one process"
