#!/bin/bash
# SPDX-License-Identifier: MIT
# Fifos, sockets and devices are refused with their name, or left out with --skip-special.
. "$(dirname "$0")/../lib/test.sh"

mkdir -p src/d
echo one >src/d/one
mkfifo src/d/fifo
run 2 "$SLUICE" pack src -o p.slu -q
sentence
has err d/fifo
[ ! -e p.slu ] || fail "there is a pack"
no_partial .

"$python" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' src/sock
run 0 "$SLUICE" pack src -o p.slu --skip-special --json
has out '"skipped": 2'
[ "$("$SLUICE" ls -R p.slu | tr '\n' ' ')" = ".: d  d: one " ] || fail "listed: $("$SLUICE" ls -R p.slu)"
second_reader -q p.slu
