"""The smaller sizes of a picture."""

from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

import PIL.Image
from PIL import ImageOps

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendition:
    """One size of a picture."""

    width: int
    height: int
    content: bytes


def made(picture: PIL.Image.Image, file_format: str) -> dict[str, Rendition]:
    """Return the sizes that are smaller than the picture itself."""
    return {
        name: Rendition(
            width=small.width, height=small.height, content=_encoded(small, file_format)
        )
        for name, box in SIZES.items()
        if (small := _reduced(picture, box)).size != picture.size
    }


def _reduced(picture: PIL.Image.Image, box: Box) -> PIL.Image.Image:
    """Return a copy of the picture that is no larger than the box."""
    width, height = box.width, box.height or picture.height
    if box.crop:
        return ImageOps.fit(
            picture, (min(width, picture.width), min(height, picture.height))
        )
    small = picture.copy()
    small.thumbnail((width, height), reducing_gap=2)
    return small


def _encoded(picture: PIL.Image.Image, file_format: str) -> bytes:
    """Return a picture in the format of its original, without its metadata."""
    buffer = BytesIO()
    picture.info.clear()
    picture.save(buffer, format=file_format, quality=JPEG_QUALITY, optimize=True)
    return buffer.getvalue()
