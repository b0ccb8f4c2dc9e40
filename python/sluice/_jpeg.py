# SPDX-License-Identifier: MIT
"""How samples that are JPEG images become pixels."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._pack import choice, natural

_CROP = {None: 0, "center": 1, "random-resized": 2}
_DTYPE = {"uint8": 0, "float32": 1}
_LAYOUT = {"NCHW": 0, "NHWC": 1}


@dataclass(frozen=True)
class Jpeg:
    """Decodes JPEG images while they are loaded, in the loader's threads.

    >>> sluice.Loader(pack, 256, decode=sluice.Jpeg(size=224, crop="random-resized", flip=True))

    What is random is a function of (seed, epoch, sample) alone: threads and ranks change nothing.
    """

    size: int | tuple[int, int] | None = None
    """Of what comes out: a number, or (height, width). None: as the images are, all of one size."""
    crop: str | None = None
    """None: the whole image, stretched. "center": as torchvision's Resize(256), CenterCrop(224).
    "random-resized": as torchvision's RandomResizedCrop."""
    flip: bool = False
    """Mirror every other image, at random."""
    dtype: str = "uint8"
    """"uint8": 0 .. 255. "float32": (value / 255 - mean) / std."""
    layout: str = "NCHW"
    """"NCHW": a plane for each channel. "NHWC": pixel by pixel."""
    channels: int = 3
    """3: RGB. 1: brightness."""
    mean: tuple[float, float, float] | None = None
    std: tuple[float, float, float] | None = None
    scale: tuple[float, float] | None = None
    """"random-resized": the area of the part, of the image's. None: (0.08, 1)."""
    ratio: tuple[float, float] | None = None
    """"random-resized": width by height of the part. None: (3/4, 4/3)."""
    cover: float | None = None
    """"center": how much larger than size the image is made before the cut. None: 256/224."""
    exact: bool = False
    """Byte for byte what Pillow gives, rather than fast."""
    lenient: bool = False
    """Accept images that libjpeg warns of, such as ones that end early."""

    def __post_init__(self) -> None:
        self._options()

    def _options(self) -> dict[str, Any]:
        """The members of struct slu_jpeg_options; the library checks their values."""
        size = (0, 0) if self.size is None else self.size
        if not hasattr(size, "__index__") and not (isinstance(size, (tuple, list)) and len(size) == 2):
            raise ValueError("size=%r: must be a number, or (height, width)" % (size,))
        height, width = (size, size) if hasattr(size, "__index__") else size
        options: dict[str, Any] = {
            "width": natural("size", width, 0, 32),
            "height": natural("size", height, 0, 32),
            "crop": choice("crop", self.crop, _CROP),
            "flip": bool(self.flip),
            "dtype": choice("dtype", self.dtype, _DTYPE),
            "layout": choice("layout", self.layout, _LAYOUT),
            "channels": natural("channels", self.channels, 1, 32),
            "exact": bool(self.exact),
            "lenient": bool(self.lenient),
        }
        for name, parts in (("scale", 2), ("ratio", 2), ("mean", 3), ("std", 3)):
            if (value := getattr(self, name)) is not None:
                if len(value) != parts:
                    raise ValueError("%s=%r: must be %d numbers" % (name, value, parts))
                options[name] = value
        if self.std is not None and not all(self.std):
            raise ValueError("std=%r: dividing by 0" % (self.std,))
        if self.cover is not None:
            if not self.cover >= 1:
                raise ValueError("cover=%r: must be at least 1" % (self.cover,))
            options["cover"] = (self.cover,)
        return options
