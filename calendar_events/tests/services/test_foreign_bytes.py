"""Files that are a picture and something else: what is stored is the picture alone."""

import struct
import zlib
from io import BytesIO

import PIL.Image
import pytest
from PIL import ImageChops, ImageSequence

from calendar_events.services import images

SCRIPT = b"<script>alert(1)</script><?php system('id');"


def clean(file_format):
    """Return an animation, where the format has them, without metadata."""
    drawn = PIL.Image.linear_gradient("L").resize((32, 16))
    frames = [drawn.rotate(part * 40).convert("RGB") for part in range(3)]
    options = (
        {} if file_format == "JPEG" else {"save_all": True, "append_images": frames[1:]}
    )
    buffer = BytesIO()
    frames[0].save(buffer, file_format, **options)
    return buffer.getvalue()


def png_chunk(kind, body):
    checksum = struct.pack(">I", zlib.crc32(kind + body))
    return struct.pack(">I", len(body)) + kind + body + checksum


def with_chunk(kind, body):
    """Return a function that puts a chunk behind the first of a PNG."""
    return lambda content: content[:33] + png_chunk(kind, body) + content[33:]


def riff(chunks):
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def riff_chunk(kind, body):
    return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def larger_last_data(content):
    """Put bytes behind the end of the packed data, within their chunk."""
    at = content.rindex(b"fdAT") - 4
    length = int.from_bytes(content[at : at + 4])
    body = content[at + 8 : at + 8 + length] + SCRIPT
    return content[:at] + png_chunk(b"fdAT", body) + png_chunk(b"IEND", b"")


def larger_first_data(content):
    at = content.index(b"IDAT") - 4
    length = int.from_bytes(content[at : at + 4])
    body = content[at + 8 : at + 8 + length] + SCRIPT
    return content[:at] + png_chunk(b"IDAT", body) + content[at + 12 + length :]


HIDING_PLACES = {
    "JPEG behind its end": ("JPEG", lambda content: content + SCRIPT),
    "JPEG comment": (
        "JPEG",
        lambda content: content[:2] + b"\xff\xfe\0\x2e" + SCRIPT + content[2:],
    ),
    "JPEG of an application": (
        "JPEG",
        lambda content: content[:2] + b"\xff\xe5\0\x2e" + SCRIPT + content[2:],
    ),
    "JPEG, little picture in it": (
        "JPEG",
        lambda content: content[:2]
        + b"\xff\xe0\0\x3cJFIF\0\1\1\0\0\1\0\1\0\0"
        + SCRIPT
        + content[content.index(b"\xff\xdb") :],
    ),
    "JPEG profile that is none": (
        "JPEG",
        lambda content: content[:2]
        + b"\xff\xe2\0\x3cICC_PROFILE\0\1\1"
        + SCRIPT
        + content[2:],
    ),
    "PNG behind its end": ("PNG", lambda content: content + SCRIPT),
    "PNG text": ("PNG", with_chunk(b"tEXt", b"a\0" + SCRIPT)),
    "PNG chunk of nobody": ("PNG", with_chunk(b"zzZz", SCRIPT)),
    "PNG palette of no use": (
        "PNG",
        with_chunk(b"PLTE", SCRIPT + b"!"),
    ),
    "PNG behind its data": ("PNG", larger_first_data),
    "PNG behind the data of a frame": ("PNG", larger_last_data),
    "GIF behind its end": ("GIF", lambda content: content + SCRIPT),
    "GIF comment": (
        "GIF",
        lambda content: content[:-1] + b"!\xfe" + bytes([len(SCRIPT)]) + SCRIPT + b"\0;",
    ),
    "GIF of an application": (
        "GIF",
        lambda content: content[:-1]
        + b"!\xff\x0bXMP DataXMP"
        + bytes([len(SCRIPT)])
        + SCRIPT
        + b"\0;",
    ),
    "WebP behind its end": ("WEBP", lambda content: content + SCRIPT),
    "WebP chunk of nobody": (
        "WEBP",
        lambda content: riff(content[12:] + riff_chunk(b"zzzz", SCRIPT)),
    ),
    "WebP profile that is none": (
        "WEBP",
        lambda content: riff(
            content[12:20]
            + bytes([content[20] | 0x20])
            + content[21:30]
            + riff_chunk(b"ICCP", SCRIPT)
            + content[30:]
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", HIDING_PLACES)
def test_what_is_stored_of_a_picture_holds_no_foreign_bytes(place):
    file_format, hide = HIDING_PLACES[place]
    content = clean(file_format)
    polyglot = hide(content)
    assert SCRIPT in polyglot

    stored = images.decode(polyglot, name="polyglot").original.content

    assert SCRIPT not in stored
    assert greatest_difference(stored, content) <= LOSS.get(file_format, 0)


LOSS = {"JPEG": 6, "WEBP": 12}
"""How far a value of a pixel may be from the original's."""


def greatest_difference(*contents):
    """Return how far the frames of two pictures differ in any pixel."""
    pairs = zip(*map(frames_of, contents), strict=True)
    return max(
        high for pair in pairs for _, high in ImageChops.difference(*pair).getextrema()
    )


def frames_of(content):
    with PIL.Image.open(BytesIO(content)) as found:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(found)]


def test_a_gif_without_an_end_still_moves():
    stored = images.decode(clean("GIF")[:-1], name="film").original.content

    assert (stored[-1:], len(frames_of(stored))) == (b";", 3)
