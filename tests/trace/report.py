# SPDX-License-Identifier: MIT
"""sluice report tells what was recorded: its JSON has every file with the recorded counts, and text says the same."""
import json
from tracelib import *


def test(tmp):
    data = make_files("data", 300)
    program = "import os, sys\nfor n in sorted(os.listdir(sys.argv[1])):\n    open(os.path.join(sys.argv[1], n), 'rb').read()\n"
    t = trace([PYTHON, "-c", program, data])
    report = json.loads(subprocess.run([SLUICE, "report", "--json", "trace"], capture_output=True, check=True).stdout)
    check(report["schema"] == 1, "schema %s", report.get("schema"))
    listed = {f["name"]: f for f in report["files"] if f["name"].startswith(data + "/")}
    check(len(listed) == 300, "%d files of 300", len(listed))
    for name in ("read", "open", "close", "fstat"):
        told, = [c["count"] for c in report["calls"] if c["name"] == name] or [0]
        check(told == t.calls(name), "%s: %d told, %d recorded", name, told, t.calls(name))
    text = subprocess.run([SLUICE, "report", "trace"], capture_output=True, text=True, check=True).stdout
    check(" ".join(text.split()).startswith(report["answer"]["sentence"]), "the answer comes first: %s", text[:200])
    check("sluice pack" in text, "many small files: packing is advised")
    p = subprocess.run([SLUICE, "report", "data"], capture_output=True, text=True, check=False)
    check(p.returncode == 2 and "data" in p.stderr, "a directory that is no trace: %d %s", p.returncode, p.stderr)


main(test)
