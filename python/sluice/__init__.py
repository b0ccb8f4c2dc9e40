# SPDX-License-Identifier: MIT
"""Sluice: samples for training, verified, in any order, before they are asked for.

>>> import sluice
>>> pack = sluice.open("train.slu")
>>> pack[0], pack["cat/0001.jpg"], pack.labels[0]
>>> loader = sluice.Loader(pack, batch_size=256, shuffle="global", seed=7)
>>> for batch in loader:
...     batch.data, batch.offsets, batch.labels, batch.indices

docs/python.md tells the rest; sluice.torch has what PyTorch wants.
"""
from ._batch import Batch
from ._core import DamageError
from ._core import version as _version
from ._jpeg import Jpeg
from ._loader import BadSample, Loader
from ._pack import Column, Keys, Pack, Schema, open
from ._span import span, tracing, watch

__version__: str = _version()
__all__ = ["BadSample", "Batch", "Column", "DamageError", "Jpeg", "Keys", "Loader", "Pack", "Schema", "open", "span",
           "tracing", "watch"]
