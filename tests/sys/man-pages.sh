#!/bin/bash
# SPDX-License-Identifier: MIT
# The man pages are well-formed, and each command's page names every option of its --help.
. "$(dirname "$0")/../lib/test.sh"
requires mandoc
man=$lib/../../man

mandoc -T lint -W warning "$man"/*.[0-9] >lint || fail "$(cat lint)"
for command in pack info ls cat verify unpack run check mount umount; do
	run 0 "$SLUICE" "$command" --help
	grep -oE -- '--[a-z][a-z-]+' out | sort -u | sed '/^--help$/d' >options
	mandoc -T ascii "$man/sluice-$command.1" | col -b >page
	while read -r option; do
		grep -qF -- "$option" page || fail "sluice-$command.1 does not have $option"
	done <options
done
