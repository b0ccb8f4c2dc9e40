#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""All that is public is annotated and documented, and _core.pyi says what the module has."""
import ast
import importlib
import inspect
import os
import subprocess
import sys

from pypack import main, sluice


def functions_of(name, thing):
    if inspect.isfunction(thing):
        yield name, thing
    elif isinstance(thing, property):
        yield name, thing.fget
    elif inspect.isclass(thing) and thing.__module__.startswith("sluice"):
        for part, inner in vars(thing).items():
            if not part.startswith("_") or part in ("__init__", "__getitem__", "__len__", "__iter__"):
                yield from functions_of("%s.%s" % (name, part), inner)


def test(tmp):
    package = os.path.dirname(sluice.__file__)
    assert os.path.exists(os.path.join(package, "py.typed"))
    public = {name: getattr(sluice, name) for name in sluice.__all__}
    try:
        torch = importlib.import_module("sluice.torch")
        public.update(("torch." + name, getattr(torch, name)) for name in torch.__all__)
    except ImportError:
        pass
    count = 0
    for name, thing in public.items():
        assert inspect.getdoc(thing), name
        for full, function in functions_of(name, thing):
            if not function.__code__.co_filename.startswith(package):
                continue    # made by dataclass or namedtuple
            hints = function.__annotations__
            wanted = set(inspect.signature(function).parameters) - {"self", "cls"}
            assert wanted <= set(hints) and "return" in hints, full
            count += 1
    assert count >= 50, count

    with open(os.path.join(package, "_core.pyi")) as f:
        told = ast.parse(f.read())
    classes = {c.name: {d.name for d in c.body if isinstance(d, ast.FunctionDef)} for c in told.body
               if isinstance(c, ast.ClassDef)}
    for name in ("Pack", "Loader", "Batch", "Span"):
        real = {m for m in vars(getattr(sluice._core, name)) if not m.startswith("__")}
        assert real == {m for m in classes[name] if not m.startswith("__")}, name

    # NumPy and torch are loaded by whoever uses them.
    subprocess.run([sys.executable, "-c", "import sluice, sys; assert not {'numpy', 'torch'} & set(sys.modules)"], check=True)
    out = subprocess.run([os.environ["SLUICE"], "--version"], capture_output=True, text=True, check=True).stdout
    assert sluice.__version__ in out


main(test)
