"""Copy of a picture's file what shows the picture, and leave out everything else.

A file may be a picture and carry something else as well: words about it, where it was
taken, a script behind its end. What is copied here is copied byte for byte, so nothing is
encoded anew; parts that no viewer needs, and whatever stands between or behind the parts,
are not copied. Each function raises ``ValueError`` or ``IndexError`` for a file whose
parts it does not understand; the caller then has it encoded anew.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_UNPACKED: Final = 200_000_000
"""How many bytes the data of a PNG are unpacked to at most, to find their end."""


def is_profile(data: bytes) -> bool:
    """Return whether this is a colour profile and nothing more (ICC.1 section 7.2)."""
    return int.from_bytes(data[:4]) == len(data) and data[36:40] == b"acsp"


# --- JPEG: segments between markers (ITU T.81 annex B) ------------------------------------

_START, _SCAN, _END = b"\xff\xd8", 0xDA, 0xD9
_COMMENT, _APPLICATION = 0xFE, range(0xE0, 0xF0)
# Frames, tables of the coder, arithmetic conditioning, quantization, restart interval.
_TABLES = frozenset({*range(0xC0, 0xD0), 0xDB, 0xDD}) - {0xC8}
_JFIF, _PROFILE, _ADOBE = 0xE0, 0xE2, 0xEE
# In a scan 0xFF is followed by zero, or by the number of a restart.
_NEXT_MARKER = re.compile(rb"\xff(?![\x00\xd0-\xd7\xff])")


def jpeg(content: bytes, *, with_profile: bool) -> bytes:
    """Return a JPEG up to its end, without comments and what applications added."""
    return b"".join((_START, *_segments(content, with_profile=with_profile)))


def _segments(content: bytes, *, with_profile: bool) -> Iterator[bytes]:
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
        if marker in _TABLES or marker == _SCAN:
            yield segment
        elif marker in _APPLICATION:
            yield _application_segment(marker, segment, with_profile=with_profile)
        elif marker != _COMMENT:
            raise ValueError("a marker that is not known")
        at = end


def _application_segment(marker: int, segment: bytes, *, with_profile: bool) -> bytes:
    """Return of what an application added the part that says how to show the picture."""
    if marker == _JFIF and segment[4:9] == b"JFIF\0" and len(segment) >= 18:
        # Version, unit and density; the little picture that may follow is left out.
        return b"\xff\xe0\x00\x10" + segment[4:16] + b"\0\0"
    if marker == _ADOBE and segment[4:9] == b"Adobe" and len(segment) >= 16:
        return b"\xff\xee\x00\x0e" + segment[4:16]
    if marker == _PROFILE and segment[4:16] == b"ICC_PROFILE\0" and with_profile:
        return segment
    return b""


# --- PNG: chunks with a length and a checksum (W3C PNG section 5) -------------------------

# What viewers need, and how long it may be; each once but for the data and their frames.
_CHUNKS: Final = {
    b"IHDR": 13, b"PLTE": 768, b"tRNS": 256, b"gAMA": 4, b"cHRM": 32, b"sRGB": 1,
    b"sBIT": 4, b"bKGD": 6, b"pHYs": 9, b"cICP": 4, b"mDCV": 24, b"cLLI": 8, b"acTL": 8,
    b"fcTL": 26, b"IDAT": 2**31, b"fdAT": 2**31, b"IEND": 0,
}  # fmt: skip
_REPEATED: Final = frozenset({b"IDAT", b"fdAT", b"fcTL"})
_INDEXED: Final = 3


def png(content: bytes, *, profile: bytes) -> bytes:
    """Return a PNG with ``profile``, if any, as the only one of its optional texts."""
    return content[:8] + b"".join(_chunks(content, profile))


def _chunks(content: bytes, profile: bytes) -> Iterator[bytes]:
    at, seen, data, colour = 8, set[bytes](), _PackedData(), content[25]
    while True:
        length, kind = int.from_bytes(content[at : at + 4]), content[at + 4 : at + 8]
        body = content[at + 8 : at + 8 + length]
        end = at + 12 + length
        if end > len(content):
            raise ValueError("a chunk without its end")
        if kind == b"fcTL":
            data = data.next()
        if kind == b"iCCP" and profile:
            yield _chunk(kind, b"ICC Profile\0\0" + zlib.compress(profile))
        elif kind in _REPEATED or (kind in _CHUNKS and kind not in seen):
            # Palettes of pictures that have colours of their own only suggest.
            is_needed = kind != b"PLTE" or colour == _INDEXED
            if kind in {b"IDAT", b"fdAT"}:
                head = 4 if kind == b"fdAT" else 0  # the number of the frame's part
                kept = body[:head] + data.used(body[head:])
                if kept != body[:head] or kept == body:  # something of it is used
                    yield content[at:end] if kept == body else _chunk(kind, kept)
            elif is_needed and length <= _CHUNKS[kind]:
                yield content[at:end]
        seen.add(kind)
        if kind == b"IEND":
            return
        at = end


def _chunk(kind: bytes, body: bytes) -> bytes:
    checksum = zlib.crc32(kind + body).to_bytes(4)
    return len(body).to_bytes(4) + kind + body + checksum


class _PackedData:
    """The packed data of one frame, which end before their last chunk may end."""

    def __init__(self, unpacked: int = 0) -> None:
        self._stream = zlib.decompressobj()
        self._unpacked = unpacked

    def next(self) -> _PackedData:
        """Return the data of the next frame; the limit is for all frames together."""
        return _PackedData(self._unpacked)

    def used(self, part: bytes) -> bytes:
        """Return the beginning of a part that belongs to the data."""
        if self._stream.eof:
            return b""
        left = part
        while left and not self._stream.eof:
            try:
                self._unpacked += len(self._stream.decompress(left, 1 << 20))
            except zlib.error as error:
                raise ValueError("data that cannot be unpacked") from error
            if self._unpacked > MAX_UNPACKED:
                raise ValueError("more data than are unpacked")
            left = self._stream.unconsumed_tail
        return part[: len(part) - len(self._stream.unused_data)]


# --- GIF: blocks (GIF89a) -----------------------------------------------------------------

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_CONTROL, _GIF_APPLICATION = 0xF9, 0xFF
_HAS_COLOURS = 0x80
_LOOPS = frozenset({b"\x0bNETSCAPE2.0\x03\x01", b"\x0bANIMEXTS1.0\x03\x01"})


def gif(content: bytes) -> bytes:
    """Return a GIF up to its end; of its extensions what times and repeats its frames."""
    return b"".join(_blocks(content))


def _blocks(content: bytes) -> Iterator[bytes]:
    at = 13 + _colours(content[10])
    yield content[:at]
    while content[at] != _TRAILER:
        start = at
        if content[at] == _IMAGE:
            at = _sub_blocks_end(content, at + 11 + _colours(content[at + 9]))
            yield content[start:at]
        elif content[at] == _EXTENSION:
            at = _sub_blocks_end(content, at + 2)
            block = content[start:at]
            if (block[1] == _CONTROL and len(block) == 8) or (
                block[1] == _GIF_APPLICATION and block[2:16] in _LOOPS and len(block) == 19
            ):
                yield block
        else:
            raise ValueError("a block that is not known")
    yield content[at : at + 1]


def _colours(flags: int) -> int:
    """Return how many bytes the table of colours takes that these flags announce."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & _HAS_COLOURS else 0


def _sub_blocks_end(content: bytes, at: int) -> int:
    """Return where sub-blocks end that begin here."""
    while content[at]:
        at += 1 + content[at]
    return at + 1


# --- WebP: chunks in a RIFF container (RFC 9649 section 2) --------------------------------

_WEBP_CHUNKS = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH"})
_WEBP_LENGTHS = {b"VP8X": 10, b"ANIM": 6}
_FRAME_HEAD = 16
_WEBP_HAS_PROFILE, _WEBP_HAS_WORDS = 0x20, 0x08 | 0x04


def webp(content: bytes, *, with_profile: bool) -> bytes:
    """Return a WebP without EXIF, XMP and chunks that no viewer needs."""
    end = 8 + int.from_bytes(content[4:8], "little")
    chunks = b"".join(_riff_chunks(content[12:end], with_profile=with_profile))
    return b"RIFF" + (4 + len(chunks)).to_bytes(4, "little") + b"WEBP" + chunks


def _riff_chunks(content: bytes, *, with_profile: bool) -> Iterator[bytes]:
    at, seen = 0, set[bytes]()
    while at < len(content):
        kind, length = content[at : at + 4], content[at + 4 : at + 8]
        end = at + 8 + int.from_bytes(length, "little")
        body = content[at + 8 : end]
        if end > len(content):
            raise ValueError("a chunk without its end")
        at = end + (end - at) % 2
        if kind in seen and kind != b"ANMF":
            continue
        seen.add(kind)
        if kind in _WEBP_CHUNKS and len(body) >= _WEBP_LENGTHS.get(kind, 0):
            body = body[: _WEBP_LENGTHS.get(kind)]
        elif kind != b"ICCP" or not with_profile:
            continue
        if kind == b"VP8X":
            unset = _WEBP_HAS_WORDS | (0 if with_profile else _WEBP_HAS_PROFILE)
            body = bytes([body[0] & ~unset]) + body[1:]
        if kind == b"ANMF":
            inner = _riff_chunks(body[_FRAME_HEAD:], with_profile=False)
            body = body[:_FRAME_HEAD] + b"".join(inner)
        yield kind + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)
