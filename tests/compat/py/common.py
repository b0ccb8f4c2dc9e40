# SPDX-License-Identifier: MIT
"""What the Python cases share: printing results and errors by name, and hashes."""
import errno
import hashlib
import os
import sys
import traceback

P = sys.argv[1]


def p(*parts):
    return os.path.join(P, *parts)


def md5(data):
    return hashlib.md5(data).hexdigest()


def show(what, value):
    print("%s: %r" % (what, value), flush=True)


def clean(e):
    """An exception as text: its class, errno name and file; what else it says may hold random names."""
    if isinstance(e, OSError) and e.errno is not None:
        return "%s %s %r %r" % (type(e).__name__, errno.errorcode.get(e.errno, e.errno), e.filename, e.filename2)
    return "%s %s" % (type(e).__name__, e)


def attempt(what, f, *args, **kw):
    """Calls f and prints its value, or the exception."""
    try:
        v = f(*args, **kw)
    except Exception as e:  # any: that is the point
        print("%s: raises %s" % (what, clean(e)), flush=True)
        return None
    if isinstance(v, bytes) and len(v) > 60:
        v = "%d bytes, %s" % (len(v), md5(v))
    print("%s: %r" % (what, v) if not hasattr(v, "fileno") else "%s: open" % what, flush=True)
    return v
