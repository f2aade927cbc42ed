#!/bin/sh
# A scheduler on this machine, a worker on each of the others: sh workers.sh alpha beta gamma delta epsilon
# Each machine has polynya[dask] of the same version in /opt/polynya, and an SSH key of ours. 'loginctl enable-linger' there,
# once, lets a worker outlive our session. Ctrl-C ends the scheduler, and the workers when they have finished their blocks.
set -eu
here=$(hostname --fqdn)
export DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL=60s
/opt/polynya/bin/dask scheduler --host "$here" --port 8786 --no-dashboard &
scheduler=$!
end() {
    trap - EXIT INT TERM
    for machine in "$@"; do
        ssh "$machine" systemctl --user stop --no-block polynya-worker || true
    done
    kill "$scheduler"
}
trap 'end "$@"' EXIT
trap 'exit 130' INT TERM
for machine in "$@"; do
    # Its own worker of an earlier call, if there is one, ends first. A worker ends when its scheduler does: systemd starts it
    # again until there is one.
    ssh "$machine" "systemctl --user stop polynya-worker 2>/dev/null; exec systemd-run --user --unit polynya-worker --collect \
        --property Restart=always --property RestartSec=2 --property TimeoutStopSec=600 --property KillMode=mixed \
        /opt/polynya/bin/dask worker tcp://$here:8786 --no-nanny --nthreads \$(nproc) --name $machine --no-dashboard"
done
wait "$scheduler"
