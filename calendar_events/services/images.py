"""Pictures: decoded, measured, made smaller, stored (contract events 2.2)."""

import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

import PIL.Image
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from PIL import UnidentifiedImageError

from calendar_events.models import Image
from calendar_events.parsing import slugs
from calendar_events.permissions import Actor, require_add_image
from calendar_events.services import picture_files
from calendar_events.services.picture_files import Rendition

logger = logging.getLogger(__name__)

MAX_PIXELS = 25_000_000
"""The cost of decoding grows with them; all frames count together."""
MAX_FRAMES = 1_000
TOO_LARGE = f"has more than {MAX_PIXELS // 1_000_000} million pixels."
MAX_SCANS = 32
"""A progressive JPEG has ten or so, and each is a pass over all its pixels."""
SCAN = b"\xff\xda"
_decoding = threading.Lock()
FORMATS = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}


class NotAPicture(Exception):
    """The content is no picture that we take; the text says why."""


class NotStored(Exception):
    """The files of a picture cannot be written now, as on a full disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that was decoded and is not stored yet."""

    name: str
    extension: str
    mime_type: str
    original: Rendition
    sizes: dict[str, Rendition]
    source_url: str = ""


def decode(content: bytes, *, name: str, source_url: str = "") -> Picture:
    """Return the picture in ``content`` with its smaller sizes.

    What it is is decided by decoding it, never by a name or a header, and only formats that
    browsers show and that carry no script are taken. One picture at a time in a process:
    each may need a hundred megabytes, and warnings are silenced for all threads.

    Raises ``NotAPicture``.
    """
    try:
        with (
            _decoding,
            warnings.catch_warnings(),
            PIL.Image.open(BytesIO(content), formats=list(FORMATS)) as opened,
        ):
            # Pillow warns of what we refuse, and of damage that it can live with.
            warnings.simplefilter("ignore")
            if opened.width * opened.height > MAX_PIXELS:
                raise NotAPicture(TOO_LARGE)
            if opened.format == "MPO":
                # Several views, as phones take them, are a JPEG to everybody else.
                opened.format = "JPEG"
            elif (frames := getattr(opened, "n_frames", 1)) > MAX_FRAMES:
                raise NotAPicture(f"has more than {MAX_FRAMES:,} frames.")
            elif frames * opened.width * opened.height > MAX_PIXELS:
                raise NotAPicture(TOO_LARGE)
            if opened.format == "JPEG" and content.count(SCAN) > MAX_SCANS:
                raise NotAPicture("is a JPEG of too many scans.")
            file_format = opened.format or ""
            original = picture_files.encoded(opened, content)
            return Picture(
                name=slugs.from_title(name, fallback="image"),
                extension=FORMATS[file_format],
                mime_type=PIL.Image.MIME[file_format],
                original=Rendition(
                    width=opened.width, height=opened.height, content=original
                ),
                sizes=picture_files.smaller_sizes(opened, file_format),
                source_url=source_url,
            )
    except UnidentifiedImageError as error:
        raise NotAPicture("is not a JPEG, PNG, GIF or WebP picture.") from error
    except PIL.Image.DecompressionBombError as error:
        raise NotAPicture(TOO_LARGE) from error
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:
        # What Pillow's decoders raise about damaged files.
        raise NotAPicture("is damaged.") from error


def add(
    *,
    actor: Actor,
    picture: Picture,
    now: datetime,
    title: str = "",
    alternative_text: str = "",
) -> Image:
    """Store a picture as an image of the actor's institution.

    Call it inside ``delete_files_on_rollback``. Raises ``NotAllowed`` and
    ``NotStored``.
    """
    require_add_image(actor)
    folder = f"images/{now:%Y/%m}"
    original = _store(f"{folder}/{picture.name}.{picture.extension}", picture.original)
    image = Image(
        institution=actor.institution,
        author_id=actor.user.pk,
        title=(title or picture.name)[:255],
        alternative_text=alternative_text[:500],
        file=original,
        width=picture.original.width,
        height=picture.original.height,
        filesize=len(picture.original.content),
        mime_type=picture.mime_type,
        sizes={
            name: _describe(f"{folder}/{picture.name}", picture, size)
            for name, size in picture.sizes.items()
        },
        source_url=picture.source_url[:2048],
    )
    image.save(force_insert=True)
    return image


def _describe(stem: str, picture: Picture, size: Rendition) -> dict[str, str | int]:
    """Store one size and return how an image row remembers it."""
    name = f"{stem}-{size.width}x{size.height}.{picture.extension}"
    return {
        "file": _store(name, size),
        "width": size.width,
        "height": size.height,
        "mime-type": picture.mime_type,
        "filesize": len(size.content),
    }


def _store(name: str, rendition: Rendition) -> str:
    """Write a file under this name or a free one like it.

    The name is reserved by an empty file first, so that a file which could be written only
    in part is known and can be taken back. Raises ``NotStored``.
    """
    try:
        stored = default_storage.save(name, ContentFile(b""))
        written = _written.get()
        if written is not None:
            written.append(stored)
        with default_storage.open(stored, "wb") as file:
            file.write(rendition.content)
    except OSError as error:
        raise NotStored("pictures cannot be stored now") from error
    return stored


_written: ContextVar[list[str] | None] = ContextVar("written", default=None)


@contextmanager
def delete_files_on_rollback() -> Iterator[None]:
    """Take back the files that were stored inside, when what is inside fails.

    A database rolls back, a storage does not. Inside another such block the files are its
    own, too: what is around a write may still undo it.
    """
    around = _written.get()
    names: list[str] = []
    token = _written.set(names)
    try:
        yield
    except BaseException:
        for name in names:
            _delete_file(name)
        raise
    else:
        if around is not None:
            around += names
    finally:
        _written.reset(token)


def _delete_file(name: str) -> None:
    try:
        default_storage.delete(name)
    except OSError:
        logger.exception("%s could not be deleted.", name)


def remove(*, image: Image) -> None:
    """Delete an image that nothing shows, and its files once that is certain.

    Raises Django's ``ProtectedError`` when a record shows it.
    """
    names = [image.file.name, *(size["file"] for size in image.sizes.values())]

    def delete_files() -> None:
        for name in names:
            _delete_file(name)

    with transaction.atomic():
        image.delete()
        transaction.on_commit(delete_files)
