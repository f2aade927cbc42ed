#!/usr/bin/env bash
# A bot in bash that plays every game: the first steps come with the turn, what may follow is asked.
#
#   polynya-bridge --wants legal -- bash random.bash
#
# Lines have no spaces between the words of JSON, so patterns find what is needed.

[[ $POLYNYA_SEED ]] && RANDOM=$POLYNYA_SEED

# Any of the steps in "legal":[["place",1],["place",4]], split at "],[", into $step.
choose() {
    local list=${1#*'"legal":[['}
    list=${list%%']]'*}
    mapfile -t steps <<<"${list//'],['/$'\n'}"
    step="[${steps[RANDOM % ${#steps[@]}]}]"
}

while read -r line; do
    case $line in
        '{"type":"turn"'*)
            choose "$line"
            turn=$step
            echo "{\"ask\":[$turn]}"
            ;;
        '{"type":"legal"'*'"turn_over":true'*)
            echo "{\"steps\":[$turn],\"info\":{\"choices\":${#steps[@]}}}"
            ;;
        '{"type":"legal"'*)
            choose "$line"
            turn+=,$step
            echo "{\"ask\":[$turn]}"
            ;;
    esac
done
