"""The files that are stored of a picture: the original, and its smaller sizes.

All are encoded anew. A file may carry more than a picture: where and by whom it was taken,
words, a script behind its end. Where people were is personal data, and originals are
public. The orientation is applied, and the colour profile is kept.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, NamedTuple

import PIL.Image
from PIL import ExifTags, ImageOps, ImageSequence
from PIL.Image import Image
from PIL.ImageFile import ImageFile

# Large pictures are written in seconds rather than as small as possible.
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "JPEG": {"quality": "keep", "comment": b""},
    "PNG": {"compress_level": 4, "disposal": 0, "blend": 0},
    "GIF": {"comment": b""},
    "WEBP": {"quality": 90, "method": 2},  # quicker ones give up at very much detail
}
LOSSLESS: Final = {"lossless": True, "quality": 0, "method": 0}
"""Of WebP, where the quality only says how much time is taken."""
SHOWN: Final = frozenset({"transparency", "background"})
"""Entries of ``info`` that savers read and viewers need."""
OPAQUE: Final = {(255, 255)}
"""The extremes of alpha of a picture that nothing shows through."""


def encoded(picture: ImageFile, content: bytes) -> bytes:
    """Return the file of a picture, in its own format and with nothing but the picture.

    ``picture`` was opened from ``content``; it is turned upright and stands at its first
    frame afterwards. An animation that has to be turned becomes its first frame.
    """
    options = dict(OPTIONS[picture.format or ""])
    if picture.format == "WEBP" and b"VP8L" in content:
        options = dict(LOSSLESS)
    if picture.format == "JPEG":
        # Written at once, into a buffer of twice as many bytes as there are pixels.
        fits = len(content) < 1.5 * picture.width * picture.height
        options["progressive"] = "progressive" in picture.info and fits
    options["icc_profile"] = _profile(picture)
    is_turned = picture.getexif().get(ExifTags.Base.Orientation, 1) != 1
    is_animated = picture.format != "JPEG" and getattr(picture, "is_animated", False)
    ImageOps.exif_transpose(picture, in_place=True)
    image: Image = picture
    if is_animated and not is_turned:
        frames = _frames(picture)
        image, options["append_images"] = frames[0], frames[1:]
        options["duration"] = [frame.info.get("duration", 0) for frame in frames]
        options["save_all"] = True
        if frames[0].mode == "RGBA" and picture.format == "GIF":
            options["disposal"] = 2  # clear the frame before, which would show through
        if "loop" in picture.info:
            options["loop"] = picture.info["loop"]
        picture.seek(0)
    for frame in [image, *options.get("append_images", [])]:
        frame.info = {name: frame.info[name] for name in SHOWN & frame.info.keys()}
    buffer = BytesIO()
    image.save(buffer, picture.format, **options)
    return buffer.getvalue()


def _frames(picture: ImageFile) -> list[Image]:
    """Return the frames of an animation, each as a whole picture.

    Those of a GIF have palettes of their own, and colours instead here.
    """
    frames = [frame.copy() for frame in ImageSequence.Iterator(picture)]
    if picture.format == "GIF":
        frames = [frame.convert("RGBA") for frame in frames]
        alphas = {frame.getchannel("A").getextrema() for frame in frames}
        return [frame.convert("RGB") for frame in frames] if alphas == OPAQUE else frames
    # A PNG may begin with a picture for viewers that do not know animations.
    return frames[1:] if picture.info.get("default_image") else frames


def _profile(picture: ImageFile) -> bytes | None:
    """Return the colour profile, if it is one by its head (ICC.1 section 7.2)."""
    profile = picture.info.get("icc_profile") or b""
    is_profile = int.from_bytes(profile[:4]) == len(profile) and profile[36:40] == b"acsp"
    return profile if is_profile else None


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


def smaller_sizes(picture: PIL.Image.Image, file_format: str) -> dict[str, Rendition]:
    return {
        name: Rendition(
            width=small.width, height=small.height, content=_encoded(small, file_format)
        )
        for name, box in SIZES.items()
        if (small := _reduced(picture, box)).size != picture.size
    }


def _reduced(picture: PIL.Image.Image, box: Box) -> PIL.Image.Image:
    width, height = box.width, box.height or picture.height
    if box.crop:
        return ImageOps.fit(
            picture, (min(width, picture.width), min(height, picture.height))
        )
    small = picture.copy()
    small.thumbnail((width, height), reducing_gap=2)
    return small


def _encoded(picture: PIL.Image.Image, file_format: str) -> bytes:
    buffer = BytesIO()
    picture.info.clear()
    picture.save(buffer, format=file_format, quality=JPEG_QUALITY, optimize=True)
    return buffer.getvalue()
