# SPDX-License-Identifier: MIT
"""Modules that live in the mount."""
import importlib
import os
import pkgutil
import runpy
import sys
import traceback

from common import P, p, show

sys.path.insert(0, p("py"))
importlib.invalidate_caches()
import local_module  # noqa: E402
import pkg  # noqa: E402
show("module", (local_module.VALUE, local_module.__file__, pkg.inner.NAME))
show("packages", sorted((m.name, m.ispkg) for m in pkgutil.iter_modules([p("py")])))
try:
    local_module.fail()
except ValueError:
    show("traceback", traceback.format_exc().split("\n")[-4:])
show("runpy", runpy.run_path(p("py/local_module.py"))["VALUE"])
show("reload", importlib.reload(local_module).VALUE)
show("no cache", os.path.exists(p("py/__pycache__")))
sys.dont_write_bytecode = False
sys.modules.pop("pkg")
import pkg as again  # noqa: E402
show("again", again.inner.NAME)
show("no cache", os.path.exists(p("py/__pycache__")))
