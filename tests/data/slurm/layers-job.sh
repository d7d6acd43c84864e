#!/bin/sh
#SBATCH --job-name=layers-job
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --exclusive
#SBATCH --open-mode=append
#SBATCH --time=02:30:00
#SBATCH --partition=long
# Exploration of Layers of ResNet-50 on one array
# Submit it in the folder in which it was written. Submitted again it goes on where it ended; what it found comes into a
# history of yours by 'tessera history merge layers-job.db'.
set -eu
tessera=${TESSERA:-tessera}
study='layers-job.json'
history='layers-job.db'
if "$tessera" history show last --store "$history" >/dev/null 2>&1; then
    set -- resume last
else
    set -- explore "$study"
fi
# A process whose node or memory is lost costs the points that it had; the others evaluate them.
exec mpirun --enable-recovery --map-by ppr:2:node --bind-to none "$tessera" "$@" --store "$history"
