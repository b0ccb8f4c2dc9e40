#!/bin/bash
# SPDX-License-Identifier: MIT
# .npy files of one type and shape are recognised as arrays; others are not.
. "$(dirname "$0")/../lib/test.sh"
"$python" -c 'import numpy' 2>/dev/null || skip "there is no numpy"

"$python" - <<'PY'
import numpy, os
os.makedirs("same/a"); os.makedirs("shape"); os.makedirs("type"); os.makedirs("scalar"); os.makedirs("fortran")
os.makedirs("mixed")
r = numpy.random.default_rng(1)
for i in range(5):
    numpy.save("same/a/%d.npy" % i, r.random((3, 4, 5), dtype="f4"))
    numpy.save("shape/%d.npy" % i, numpy.zeros((3, 4 + i % 2), "f4"))
    numpy.save("type/%d.npy" % i, numpy.zeros((3, 4), "f4" if i % 2 else "i4"))
    numpy.save("scalar/%d.npy" % i, numpy.int64(i))
    numpy.save("fortran/%d.npy" % i, numpy.asfortranarray(r.random((3, 4))))
    numpy.save("mixed/%d.npy" % i, r.random((3, 4)))
open("mixed/README", "w").write("text\n")
PY
for d in same shape type scalar fortran mixed; do
	run 0 "$SLUICE" pack $d -o $d.slu -q
	second_reader -q $d.slu
	run 0 "$SLUICE" info --json $d.slu
	cp out $d.json
	run 0 "$SLUICE" verify -q $d.slu
	rm $d.slu/index
	run 0 "$SLUICE" verify --rebuild-index -q $d.slu
done
"$python" - <<'PY'
import json, numpy, subprocess, os
a = json.load(open("same.json"))["array"]
assert (a["dtype"], a["shape"]) == ("<f4", [3, 4, 5]), a
data = subprocess.run([os.environ["SLUICE"], "cat", "same.slu", "a/3.npy"], stdout=subprocess.PIPE, check=True).stdout
got = numpy.frombuffer(data, a["dtype"], offset=a["skip"]).reshape(a["shape"])
assert (got == numpy.load("same/a/3.npy")).all()
assert json.load(open("scalar.json"))["array"]["shape"] == []
for d in ("shape", "type", "fortran", "mixed"):
    assert "array" not in json.load(open(d + ".json")), d
PY
