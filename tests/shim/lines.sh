# SPDX-License-Identifier: MIT
# Files that tell by themselves whether a byte is the right one (see lines.h). Source it after common.sh.

# pack_lines [PACK]: lines/000-007 are long, longer/000-001 more so, small/000-099 short; raw is not compressible;
# entries/ has many names.
pack_lines() {
	local n
	mkdir -p tree/lines tree/longer tree/small tree/entries tree/dir/sub
	for n in $(seq -f %03.0f 0 7); do seq -f "$n %011.0f" 0 19999 >"tree/lines/$n"; done
	for n in 000 001; do seq -f "$n %011.0f" 0 99999 >"tree/longer/$n"; done
	for n in $(seq -f %03.0f 0 99); do seq -f "$n %011.0f" 0 9; done | split -l 10 -d -a 3 - tree/small/
	(cd tree/entries && seq -f %04.0f 0 999 | xargs touch)
	head -c 3000000 /dev/urandom >tree/raw
	"$SLUICE" pack -q tree -o "${1:-p.slu}"
}
