# SPDX-License-Identifier: MIT
"""Sluice: samples for training, verified, in any order, before they are asked for.

>>> import sluice
>>> pack = sluice.open("train.slu")
>>> pack[0], pack["cat/0001.jpg"], pack.labels[0]
"""
from ._core import DamageError
from ._core import version as _version
from ._pack import Column, Keys, Pack, Schema, open

__version__: str = _version()
__all__ = ["Column", "DamageError", "Keys", "Pack", "Schema", "open"]
