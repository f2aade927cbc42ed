#!/bin/sh
# A scheduler on this machine, a worker on each of the others: sh workers.sh alpha beta gamma delta epsilon
# Each machine has polynya[dask] of the same version in /opt/polynya, and an SSH key of ours.
set -eu
here=$(hostname --fqdn)
/opt/polynya/bin/dask scheduler --host "$here" --port 8786 --no-dashboard &
trap 'kill %1' EXIT INT TERM
for machine in "$@"; do
    # A worker ends when its scheduler does: systemd starts it again until there is one.
    ssh "$machine" systemd-run --user --unit polynya-worker --collect \
        --property Restart=always --property RestartSec=2 --property TimeoutStopSec=600 --property KillMode=mixed \
        /opt/polynya/bin/dask worker "tcp://$here:8786" --no-nanny --nthreads '$(nproc)' --name "$machine" --no-dashboard
done
wait
