#!/usr/bin/env bash
# One job of Slurm's: a scheduler of Dask's, a worker for each task, and the program that they compute for.
#
# In the queue; what the program prints is in slurm-NUMBER.out, and what Dask says in dask-NUMBER.log:
#
#     sbatch sharded_slurm.sh python sharded_tensors.py
#
# While you wait, on four tasks; without a program's name, Python asks you for lines:
#
#     salloc --ntasks=4 --mem-per-cpu=4G --time=0:30:00 bash sharded_slurm.sh python
#
# In both, the program finds the scheduler by its file:
#
#     from tensorkit.distributed import cluster
#     cluster.connect(scheduler_file=os.environ["SCHEDULER_FILE"], workers=int(os.environ["SLURM_NTASKS"]))
#
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=4G
#SBATCH --time=0:30:00

set -euo pipefail

# Where Python is a module and tensorkit is in a virtual environment, as on the clusters of the Alliance:
#     module load python
#     source env/bin/activate

# The folder is one that all computers of the job share.
export SCHEDULER_FILE="$PWD/scheduler-$SLURM_JOB_ID.json"

log="dask-$SLURM_JOB_ID.log"

# The workers and the scheduler end with the program, however it ends.
leave() {
    kill "$workers" && wait "$workers"
    kill "$scheduler" && wait "$scheduler"
    rm -f "$SCHEDULER_FILE"
} 2>/dev/null
trap 'leave || true' EXIT
trap 'exit 143' TERM

dask scheduler --port 0 --dashboard-address :0 --no-dashboard --scheduler-file "$SCHEDULER_FILE" 2>>"$log" &
scheduler=$!
srun dask worker --nthreads 1 --memory-limit "${SLURM_MEM_PER_CPU:-4096}MiB" --no-dashboard --death-timeout 60 \
    --scheduler-file "$SCHEDULER_FILE" 2>>"$log" &
workers=$!
"$@"
