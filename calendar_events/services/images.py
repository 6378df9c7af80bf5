"""Pictures: decoded, measured, made smaller, stored (``contract`` events 2.2)."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

import PIL.Image
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from PIL import ImageOps, UnidentifiedImageError

from calendar_events import slugs
from calendar_events.conf import conf
from calendar_events.models import Image
from calendar_events.permissions import Actor, require_add_image
from calendar_events.services import metadata
from calendar_events.services.download import DownloadFailed, download

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

MAX_PIXELS = 40_000_000
JPEG_QUALITY = 82
FORMATS = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp"}


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


class NotAPicture(Exception):
    """The content is no picture that we take; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendition:
    """One size of a picture."""

    width: int
    height: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that was decoded and is not stored yet."""

    name: str
    extension: str
    mime_type: str
    original: Rendition
    sizes: dict[str, Rendition]
    source_url: str = ""


def fetch(url: str) -> Picture:
    """Return the picture behind a URL.

    Nothing is written and no transaction is open meanwhile: the other server may be slow.

    Raises ``NotAPicture``.
    """
    try:
        content = download(
            url,
            max_bytes=conf.image_max_bytes,
            max_seconds=conf.image_fetch_seconds,
            allowed=conf.image_fetch_networks,
        )
    except DownloadFailed as error:
        raise NotAPicture(f"could not be fetched: {error}.") from error
    name = unquote(urlsplit(url).path).rpartition("/")[2].rpartition(".")[0]
    return decode(content, name=name, source_url=url)


def decode(content: bytes, *, name: str, source_url: str = "") -> Picture:
    """Return the picture in ``content`` with its smaller sizes.

    What it is is decided by decoding it, never by a name or a header, and only formats that
    browsers show and that carry no script are taken. Raises ``NotAPicture``.
    """
    try:
        with (
            warnings.catch_warnings(),
            PIL.Image.open(BytesIO(content), formats=list(FORMATS)) as opened,
        ):
            # Pillow warns of what we refuse, and of damage that it can live with.
            warnings.simplefilter("ignore")
            if opened.width * opened.height > MAX_PIXELS:
                raise NotAPicture("has too many pixels.")
            opened.load()
            # Pictures of several views, as phones take them, are JPEG to everybody else.
            file_format = "JPEG" if opened.format == "MPO" else opened.format or ""
            upright = metadata.upright(opened)
            return Picture(
                name=slugs.from_title(name, fallback="image"),
                extension=FORMATS[file_format],
                mime_type=PIL.Image.MIME[file_format],
                original=Rendition(
                    width=upright.width,
                    height=upright.height,
                    content=metadata.removed(opened, content),
                ),
                sizes=_sizes(upright, file_format),
                source_url=source_url,
            )
    except UnidentifiedImageError as error:
        raise NotAPicture("is not a JPEG, PNG, GIF or WebP picture.") from error
    except PIL.Image.DecompressionBombError as error:
        raise NotAPicture("has too many pixels.") from error
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as error:
        # What Pillow's decoders raise about damaged files.
        raise NotAPicture("is damaged.") from error


def _sizes(picture: PIL.Image.Image, file_format: str) -> dict[str, Rendition]:
    """Return the sizes that are smaller than the picture itself."""
    made = {}
    for name, box in SIZES.items():
        width = min(box.width, picture.width)
        height = min(box.height or picture.height, picture.height)
        if (width, height) == picture.size:
            continue
        if box.crop:
            small = ImageOps.fit(picture, (width, height))
        else:
            small = ImageOps.contain(picture, (width, height))
        made[name] = Rendition(
            width=small.width, height=small.height, content=_encoded(small, file_format)
        )
    return made


def _encoded(picture: PIL.Image.Image, file_format: str) -> bytes:
    """Return a picture in the format of its original, without its metadata."""
    buffer = BytesIO()
    picture.info.clear()
    picture.save(buffer, format=file_format, quality=JPEG_QUALITY, optimize=True)
    return buffer.getvalue()


def add(*, actor: Actor, picture: Picture, now: datetime, title: str = "") -> Image:
    """Store a picture as an image of the actor's institution.

    Call it inside ``files_of_failed_writes_removed``. Raises ``NotAllowed``.
    """
    require_add_image(actor)
    folder = f"images/{now:%Y/%m}"
    original = _store(f"{folder}/{picture.name}.{picture.extension}", picture.original)
    image = Image(
        institution=actor.institution,
        author_id=actor.user.pk,
        title=(title or picture.name)[:255],
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
    """Write a file under this name or a free one like it."""
    stored = default_storage.save(name, ContentFile(rendition.content))
    written = _written.get()
    if written is not None:
        written.append(stored)
    return stored


_written: ContextVar[list[str] | None] = ContextVar("written", default=None)


@contextmanager
def files_of_failed_writes_removed() -> Iterator[None]:
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
            default_storage.delete(name)
        raise
    else:
        if around is not None:
            around += names
    finally:
        _written.reset(token)


def remove(*, image: Image) -> None:
    """Delete an image that nothing shows, and its files once that is certain.

    Raises Django's ``ProtectedError`` when a record shows it.
    """
    names = [image.file.name, *(size["file"] for size in image.sizes.values())]

    def delete_files() -> None:
        for name in names:
            default_storage.delete(name)

    with transaction.atomic():
        image.delete()
        transaction.on_commit(delete_files)
