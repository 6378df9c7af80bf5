"""Take out of a picture what is not the picture: where it was taken, when, by whose camera.

Where people were is personal data, and originals are public. What decides how a picture
looks stays: its orientation is applied, its colour profile is kept. A picture that says
nothing of the kind stays as it is, byte for byte.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from PIL import ExifTags, ImageOps
from PIL.JpegImagePlugin import JpegImageFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

QUALITY: Final = 95
"""Of what has to be encoded anew: what is turned, and formats that Pillow must rewrite."""
WORDS: Final = frozenset({"comment", "exif", "xmp", "XML:com.adobe.xmp"})
XMP_OF_GIF: Final = b"XMP DataXMP"
# What savers read from ``info``, and what animations need to run as they did.
SHOWN: Final = frozenset(
    {"transparency", "background", "loop", "duration", "disposal", "blend", "default_image"}
)
# Markers of ITU T.81 annex B.
_START, _SCAN, _END = b"\xff\xd8", 0xDA, 0xD9
_COMMENT, _APPLICATION = 0xFE, range(0xE0, 0xF0)
# Of what applications add, these say how to show it: JFIF, the colour profile, Adobe's.
_SHOWING = (b"\xff\xe0", b"\xff\xee")
_PROFILE = b"ICC_PROFILE\0"
# In a scan 0xFF is followed by zero, or by the number of a restart.
_NEXT_MARKER = re.compile(rb"\xff(?![\x00\xd0-\xd7\xff])")


def upright(picture: ImageFile) -> Image:
    """Return the picture with its orientation applied."""
    return ImageOps.exif_transpose(picture)


def removed(picture: ImageFile, content: bytes) -> bytes:
    """Return the file of a picture, upright and without metadata."""
    if picture.getexif().get(ExifTags.Base.Orientation, 1) != 1:
        return _encoded(upright(picture), picture)
    if isinstance(picture, JpegImageFile):
        try:
            return b"".join((_START, *_showing_segments(content)))
        except (ValueError, IndexError):  # Pillow forgives more than we do
            return _encoded(picture, picture)
    return _encoded(picture, picture) if _has_any(picture, content) else content


def _showing_segments(content: bytes) -> Iterator[bytes]:
    """Yield the segments of a JPEG that decide how it looks, up to its end.

    So nothing is encoded anew. After the end phones hide films and second pictures.
    Raises ``ValueError`` or ``IndexError`` for what is not understood.
    """
    at = len(_START)
    while True:
        if content[at] != 0xFF:
            raise ValueError("no marker where one must be")
        marker = content[at + 1]
        if marker == _END:
            yield content[at : at + 2]
            return
        end = at + 2 + int.from_bytes(content[at + 2 : at + 4])
        if marker == _SCAN:
            following = _NEXT_MARKER.search(content, end)
            if following is None:
                raise ValueError("the picture has no end")
            end = following.start()
        segment = content[at:end]
        is_about_it = marker == _COMMENT or marker in _APPLICATION
        if not is_about_it or segment.startswith(_SHOWING) or _PROFILE in segment[:16]:
            yield segment
        at = end


def _has_any(picture: ImageFile, content: bytes) -> bool:
    """Return whether the file of another format holds more than a picture."""
    return bool(
        picture.info.keys() & WORDS
        or picture.getexif()
        or getattr(picture, "text", None)  # of PNG
        or XMP_OF_GIF in content
    )


def _encoded(shown: Image, original: ImageFile) -> bytes:
    """Return a picture as a file of the format of the original, without its metadata."""
    file_format = "JPEG" if isinstance(original, JpegImageFile) else original.format
    options: dict[str, Any] = {
        "icc_profile": original.info.get("icc_profile"),
        "quality": QUALITY,
        "save_all": shown is original and getattr(original, "is_animated", False),
        "comment": b"",
    }
    shown.info = {name: shown.info[name] for name in SHOWN & shown.info.keys()}
    buffer = BytesIO()
    shown.save(buffer, file_format, **options)
    return buffer.getvalue()
