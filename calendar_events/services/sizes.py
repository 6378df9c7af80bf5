"""The smaller sizes of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from PIL import ImageOps

if TYPE_CHECKING:
    from collections.abc import Iterable

    import PIL.Image

JPEG_QUALITY = 82


class Box(NamedTuple):
    """The most a size may measure; ``crop`` fills it exactly."""

    width: int
    height: int
    crop: bool = False


# The sizes that callers of the deployed peer know; 0 is no limit.
SIZES = {
    "thumbnail": Box(150, 150, crop=True),
    "medium": Box(300, 300),
    "medium_large": Box(768, 0),
    "large": Box(1024, 1024),
}
DRAFT = 2 * SIZES["large"].width
"""A JPEG is decoded no smaller than this, so that its sizes stay sharp."""
REDUCIBLE = frozenset({"L", "LA", "RGB", "RGBA", "CMYK"})
"""The modes of pictures that have no palette."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendition:
    """One size of a picture."""

    width: int
    height: int
    content: bytes


def made(
    picture: PIL.Image.Image, size: tuple[int, int], file_format: str
) -> dict[str, Rendition]:
    """Return the sizes that are smaller than the picture itself.

    ``picture`` may have been decoded smaller than its own ``size``.
    """
    wanted = {
        name: inside
        for name, box in SIZES.items()
        if (inside := _inside(box, *size)) != size
    }
    picture = _reduced(picture, wanted.values())
    renditions = {}
    for name, (width, height) in wanted.items():
        if SIZES[name].crop:
            small = ImageOps.fit(picture, (width, height))
        else:
            small = picture.resize((width, height))
        renditions[name] = Rendition(
            width=small.width, height=small.height, content=_encoded(small, file_format)
        )
    return renditions


def _inside(box: Box, width: int, height: int) -> tuple[int, int]:
    """Return the size in which a picture of this size stands in the box."""
    most = min(box.width, width), min(box.height or height, height)
    if box.crop:
        return most
    share = min(most[0] / width, most[1] / height)
    return max(1, round(share * width)), max(1, round(share * height))


def _reduced(
    picture: PIL.Image.Image, wanted: Iterable[tuple[int, int]]
) -> PIL.Image.Image:
    """Return the picture made smaller at once, still twice as large as any size of it.

    Otherwise each size would be made of all its pixels.
    """
    shares = [
        min(picture.width // (2 * width), picture.height // (2 * height))
        for width, height in wanted
    ]
    factor = min(shares, default=1)
    if factor < 2 or picture.mode not in REDUCIBLE:
        return picture
    return picture.reduce(factor)


def _encoded(picture: PIL.Image.Image, file_format: str) -> bytes:
    """Return a picture in the format of its original, without its metadata."""
    buffer = BytesIO()
    picture.info.clear()
    picture.save(buffer, format=file_format, quality=JPEG_QUALITY, optimize=True)
    return buffer.getvalue()
