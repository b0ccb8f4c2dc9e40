# SPDX-License-Identifier: MIT
"""Where a process may not record more, new files are counted for their directories: nothing vanishes; and a full disk
does no harm to the program."""
from tracelib import *

SOURCE = r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char path[4096], c;
	long n = 0;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 60000; i++) {
			snprintf(path, sizeof(path), "%s/d%02d/this-name-is-made-long-to-fill-the-log-%08d", argv[1], i % 30, i);
			int fd = open(path, O_RDONLY); /* none of them is there: that is quick, and is recorded too */
			if (fd >= 0)
				close(fd);
			n++;
		}
	return n != 120000;
}
"""


def test(tmp):
    program = compile_c("many", SOURCE)
    # 60,000 files take some 14 MB.
    t = trace([program, tmp + "/x"], directory="whole")
    check(not t.all("process")[0].flags & LOG_FULL and len(t.all("file")) > 60000, "there is room for all by default")
    t = trace([program, tmp + "/x"], "--memory", "4M", directory="bounded")
    p = t.all("process")[0]
    check(p.flags & LOG_FULL and not p.flags & LOG_NO_SPACE, "the bound was reached: flags %d", p.flags)
    files = [f for f in t.all("file") if f.name.startswith(tmp + "/x/")]
    many = [f for f in files if f.flags & MANY]
    check(5000 < len(files) < 60000, "%d records", len(files))
    check({f.name for f in many} == {"%s/x/d%02d/" % (tmp, i) for i in range(30)}, "the rest is by directory: %s",
          [f.name for f in many][:3])
    check(sum(f.open for f in files) == 120000, "%d opens of 120,000", sum(f.open for f in files))
    check(sum(f.errors for f in files) == 120000, "%d errors of 120,000", sum(f.errors for f in files))
    check(t.calls("open") == 120000 + t.below("/etc", "open"), "calls are counted in full")

    # At most 200 bytes a file, names apart, while it is recorded.
    os.mkdir("raw")
    env = dict(os.environ, LD_PRELOAD=os.environ["SHIM"], SLUICE_TRACE=tmp + "/raw")
    subprocess.run([program, tmp + "/x"], env=env, check=True)
    size = sum(os.path.getsize("raw/" + f) for f in os.listdir("raw"))
    name = len("%s/x/d00/this-name-is-made-long-to-fill-the-log-%08d" % (tmp, 0)) + 2 + 8
    check((size - 60000 * name) / 60000 < 200, "%d bytes for 60,000 files with names of %d", size, name)


main(test)
