# SPDX-License-Identifier: MIT
"""trace-loop.py LIST: what trace-loop.c does, in Python."""
import os
import sys

with open(sys.argv[1]) as f:
    names = f.read().split("\n")[:-1]
for name in names:
    fd = os.open(name, os.O_RDONLY)
    os.read(fd, os.fstat(fd).st_size)
    os.close(fd)
