#!/bin/bash
# SPDX-License-Identifier: MIT
# The working directory is whole at every moment: in a child of fork() while another thread is in chdir(), and with two
# threads in chdir() at once.
. "$(dirname "$0")/common.sh"
. "$here/lines.sh"
long=$(printf 'long-name-%.0s' {1..20})
mkdir -p "tree/$long/$long"
pack_lines
compile t "$here/chdir-fork.c" -pthread
run 0 timeout 20 ./t "$tmp/tree" "$long/$long" 0.1
run 0 preload "$tmp/p.slu:/data" timeout 30 ./t /data "$long/$long" 0.6
