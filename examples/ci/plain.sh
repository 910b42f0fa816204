#!/bin/sh
# Tests a pair of DOCA programs in a CI that starts a script, with two nodes that stay for several
# tests. It needs the packages docad and libdoca-client2, or the image of Containerfile.ci. One pair
# needs less: docad-run --pair --until dpu -- ./program-of-the-host -- ./program-of-the-dpu
set -eu
sockets=$(mktemp -d)
docad --role host --socket "$sockets/host" --config /dev/null & nodes=$!
docad --role dpu --socket "$sockets/dpu" --config /dev/null --peer "$sockets/host" & nodes="$nodes $!"
trap 'kill $nodes ${program-} 2>/dev/null || :; wait || :; rm -r "$sockets"' EXIT
docactl --socket "$sockets/dpu" ping --wait 30 --linked
DOCAD_SOCKET=$sockets/host ./program-of-the-host & program=$!
DOCAD_SOCKET=$sockets/dpu ./program-of-the-dpu
# wait "$program" # if the host's program ends, and its status counts
