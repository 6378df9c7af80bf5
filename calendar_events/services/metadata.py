"""Take out of a picture what is not the picture: where it was taken, when, by whose camera.

Where people were is personal data, and originals are public. What decides how a picture
looks stays: its orientation is applied, its colour profile is kept. A picture that says
nothing of the kind stays as it is, byte for byte.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from PIL import ExifTags, ImageOps
from PIL.JpegImagePlugin import JpegImageFile

from calendar_events.services import picture_files

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

QUALITY: Final = 95
"""Of what has to be encoded anew: what is turned, and files of unusual structure."""
SIDEWAYS: Final = frozenset({5, 6, 7, 8})
"""The orientations in which width and height change places."""
# What savers read from ``info``, and what animations need to run as they did.
SHOWN: Final = frozenset(
    {"transparency", "background", "loop", "duration", "disposal", "blend", "default_image"}
)


def orientation(picture: ImageFile) -> int:
    """Return how the picture has to be turned to be seen upright; 1 is not at all."""
    found = picture.getexif().get(ExifTags.Base.Orientation)
    return found if isinstance(found, int) and 1 < found <= 8 else 1


def upright(picture: ImageFile) -> Image:
    """Return the picture with its orientation applied."""
    return ImageOps.exif_transpose(picture)


def removed(picture: ImageFile, content: bytes, *, max_pixels: int) -> bytes:
    """Return the file of a picture, upright and without anything but the picture.

    Raises ``ValueError`` for an animation that would have to be encoded anew and has more
    than ``max_pixels`` in all its frames.
    """
    if orientation(picture) != 1:
        return _encoded(upright(picture), picture)
    try:
        return _shown(picture, content)
    except (ValueError, IndexError):  # Pillow forgives more than we do
        frames = getattr(picture, "n_frames", 1)
        if frames * picture.width * picture.height > max_pixels:
            raise ValueError("too many pixels in all frames") from None
        encoded = _encoded(picture, picture)
        picture.seek(0)
        return encoded


def _shown(picture: ImageFile, content: bytes) -> bytes:
    """Return the parts of the file that show the picture."""
    profile = _profile(picture)
    if isinstance(picture, JpegImageFile):
        return picture_files.jpeg(content, with_profile=bool(profile))
    if picture.format == "PNG":
        return picture_files.png(content, profile=profile)
    if picture.format == "GIF":
        return picture_files.gif(content)
    return picture_files.webp(content, with_profile=bool(profile))


def _profile(picture: ImageFile) -> bytes:
    """Return the colour profile, empty when there is none that could be used."""
    profile = picture.info.get("icc_profile") or b""
    return profile if picture_files.is_profile(profile) else b""


def _encoded(shown: Image, original: ImageFile) -> bytes:
    """Return a picture as a file of the format of the original, without its metadata."""
    file_format = "JPEG" if isinstance(original, JpegImageFile) else original.format
    options: dict[str, Any] = {
        "icc_profile": _profile(original) or None,
        "quality": QUALITY,
        "method": 0,  # of WebP: the quickest, for a large picture may take ten seconds
        "save_all": shown is original and getattr(original, "is_animated", False),
        "comment": b"",
    }
    shown.info = {name: shown.info[name] for name in SHOWN & shown.info.keys()}
    buffer = BytesIO()
    shown.save(buffer, file_format, **options)
    return buffer.getvalue()
