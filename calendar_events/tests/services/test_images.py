"""Pictures: what is taken, what is made of them, what is stored."""

import random
import struct
import zlib
from datetime import UTC, datetime
from io import BytesIO

import PIL.Image
import pytest
from django.core.files.storage import default_storage
from PIL import ExifTags, ImageChops, ImageCms, ImageFile, ImageSequence
from PIL.PngImagePlugin import PngInfo

from calendar_events.models import Image
from calendar_events.permissions import Actor, NotAllowed
from calendar_events.services import images
from calendar_events.services.images import NotAPicture
from calendar_events.tests.factories import UserFactory
from calendar_events.tests.web import picture

NOW = datetime(2031, 1, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("file_format", "extension", "mime_type"),
    [
        ("PNG", "png", "image/png"),
        ("JPEG", "jpg", "image/jpeg"),
        ("GIF", "gif", "image/gif"),
        ("WEBP", "webp", "image/webp"),
    ],
)
def test_what_a_picture_is_comes_from_its_content(file_format, extension, mime_type):
    content = picture(640, 480, file_format=file_format)

    decoded = images.decode(content, name="Ein Bild.txt")

    assert (decoded.extension, decoded.mime_type) == (extension, mime_type)
    assert opened(decoded.original.content).format == file_format
    assert decoded.name == "ein-bild-txt"


def test_sizes_keep_the_proportions_and_the_thumbnail_is_cropped():
    decoded = images.decode(picture(2000, 1000), name="wide")

    assert {name: (size.width, size.height) for name, size in decoded.sizes.items()} == {
        "thumbnail": (150, 150),
        "medium": (300, 150),
        "medium_large": (768, 384),
        "large": (1024, 512),
    }


def test_every_size_is_a_picture_of_that_size():
    decoded = images.decode(picture(400, 300, file_format="JPEG"), name="photo")

    for size in decoded.sizes.values():
        with PIL.Image.open(BytesIO(size.content)) as opened:
            assert (opened.format, opened.size) == ("JPEG", (size.width, size.height))


def test_a_small_picture_has_no_smaller_sizes():
    assert images.decode(picture(100, 80), name="small").sizes == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><script>alert(1)</script></html>",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"GIF89a",
        picture(400, 300)[:200],
        picture(400, 300, file_format="JPEG")[:300],
        b"%PDF-1.7",
    ],
)
def test_what_is_no_picture_is_refused_in_words(content):
    with pytest.raises(NotAPicture):
        images.decode(content, name="picture.png")


@pytest.mark.parametrize("side", [5001, 6300, 8000])
def test_a_small_file_that_unfolds_to_a_huge_picture_is_refused_unread(side):
    content = picture(side, side, mode="1")

    with pytest.raises(NotAPicture, match="more than 25 million pixels"):
        images.decode(content, name="bomb")


def test_a_header_that_promises_a_monstrous_picture_is_refused_unread():
    size = struct.pack(">II5B", 40_000, 40_000, 8, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n"
    for chunk in (b"IHDR" + size, b"IDAT"):
        content += struct.pack(">I", len(chunk) - 4) + chunk
        content += struct.pack(">I", zlib.crc32(chunk))

    with pytest.raises(NotAPicture, match="more than 25 million pixels"):
        images.decode(content, name="bomb")


@pytest.mark.django_db
def test_a_stored_picture_has_files_for_itself_and_its_sizes():
    actor = Actor(user=UserFactory(roles=["editor"]), institution="1001")
    decoded = images.decode(picture(400, 300), name="Hall")

    image = images.add(actor=actor, picture=decoded, now=NOW)

    stored = Image.objects.get(pk=image.pk)
    assert (stored.width, stored.height, stored.mime_type) == (400, 300, "image/png")
    assert stored.file.name.startswith("images/2031/01/hall")
    assert stored.file.size == stored.filesize == len(decoded.original.content)
    for name, size in stored.sizes.items():
        assert default_storage.size(size["file"]) == size["filesize"]
        assert decoded.sizes[name].width == size["width"]


@pytest.mark.django_db
def test_images_by_url_need_the_permission_to_add_images():
    contributor = Actor(user=UserFactory(roles=["contributor"]), institution="1001")

    with pytest.raises(NotAllowed):
        images.add(actor=contributor, picture=images.decode(picture(), name="x"), now=NOW)


@pytest.mark.django_db
def test_files_of_a_write_that_fails_are_taken_back():
    actor = Actor(user=UserFactory(roles=["editor"]), institution="1001")
    names = []

    def fail_after_storing():
        with images.delete_files_on_rollback():
            decoded = images.decode(picture(400, 300), name="x")
            image = images.add(actor=actor, picture=decoded, now=NOW)
            names.append(image.file.name)
            names.extend(size["file"] for size in image.sizes.values())
            raise InterruptedError

    with pytest.raises(InterruptedError):
        fail_after_storing()

    assert len(names) == 3
    assert [name for name in names if default_storage.exists(name)] == []


@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_sizes_of_a_large_picture_show_all_of_it(file_format):
    drawn, buffer = PIL.Image.new("RGB", (4500, 5000), "blue"), BytesIO()
    drawn.paste("red", (0, 0, 2250, 5000))
    drawn.save(buffer, file_format)

    decoded = images.decode(buffer.getvalue(), name="large")

    large = opened(decoded.sizes["large"].content)
    assert (decoded.original.width, decoded.original.height) == (4500, 5000)
    assert large.size == (922, 1024)
    left, right = large.getpixel((230, 500)), large.getpixel((690, 500))
    assert (left[0] > 200, right[2] > 200) == (True, True)


def test_a_jpeg_of_very_many_scans_is_refused_unread():
    buffer = BytesIO()
    PIL.Image.new("RGB", (64, 32)).save(buffer, "JPEG", progressive=True)
    content = buffer.getvalue()
    at = content.rindex(b"\xff\xda")
    scan = content[at : content.rindex(b"\xff\xd9")]

    with pytest.raises(NotAPicture, match="scans"):
        images.decode(content[:at] + 1000 * scan + b"\xff\xd9", name="bomb")


# --- Metadata -----------------------------------------------------------------------------

PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
SECRET = b"Nikon of Jane Doe"
EXIF = PIL.Image.Exif()
EXIF[ExifTags.Base.Make] = SECRET.decode()


def photo(file_format, *, orientation=1, **options):
    """Return a picture, red on the left, as a camera writes it: with place and maker."""
    exif = PIL.Image.Exif()
    exif[ExifTags.Base.Make] = SECRET.decode()
    exif[ExifTags.Base.Orientation] = orientation
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitudeRef] = "N"
    drawn = PIL.Image.new("RGB", (64, 32), "blue")
    drawn.paste("red", (0, 0, 32, 32))
    buffer = BytesIO()
    drawn.save(buffer, file_format, exif=exif, icc_profile=PROFILE, **options)
    return buffer.getvalue()


def opened(content):
    with PIL.Image.open(BytesIO(content)) as found:
        found.load()
        return found


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_an_original_is_stored_without_where_and_by_whom_it_was_taken(file_format):
    content = photo(file_format, xmp=b"<x>" + SECRET + b"</x>")

    original = images.decode(content, name="photo").original

    stored = opened(original.content)
    assert SECRET in content
    assert SECRET not in original.content
    assert dict(stored.getexif()) == {}
    assert (stored.format, stored.info["icc_profile"]) == (file_format, PROFILE)


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP"])
def test_an_original_is_stored_upright(file_format):
    content = photo(file_format, orientation=6)  # turned clockwise to be seen

    original = images.decode(content, name="photo").original

    stored = opened(original.content)
    assert (original.width, original.height) == stored.size == (32, 64)
    red, _green, blue = stored.convert("RGB").getpixel((16, 8))  # what was left is on top
    assert red > 4 * blue


@pytest.mark.parametrize(
    "options", [{"quality": 60}, {"quality": 100}, {"quality": 80, "progressive": True}]
)
def test_a_jpeg_keeps_its_quality(options):
    drawn, buffer = PIL.Image.radial_gradient("L").convert("RGB"), BytesIO()
    drawn.save(buffer, "JPEG", subsampling="4:4:4", **options)
    before = opened(buffer.getvalue())

    original = images.decode(buffer.getvalue() + SECRET, name="photo").original

    stored = opened(original.content)
    assert SECRET not in original.content
    assert (stored.quantization, stored.layer) == (before.quantization, before.layer)
    assert stored.info.get("progressive") == before.info.get("progressive")
    assert greatest_difference(stored, before) <= 6


def test_a_progressive_jpeg_of_many_bytes_for_each_pixel_is_stored(monkeypatch):
    noise, buffer = random.Random(1).randbytes(3 * 300 * 300), BytesIO()
    monkeypatch.setattr(ImageFile, "MAXBLOCK", 1_000_000)  # as other encoders write
    PIL.Image.frombytes("RGB", (300, 300), noise).save(
        buffer, "JPEG", quality=100, subsampling="4:4:4", progressive=True
    )
    monkeypatch.undo()

    original = images.decode(buffer.getvalue(), name="photo").original

    assert opened(original.content).size == (300, 300)


def test_a_large_webp_full_of_detail_is_stored():
    channels = [PIL.Image.effect_noise((5000, 5000), 12) for _ in range(3)]
    buffer = BytesIO()
    PIL.Image.merge("RGB", channels).save(buffer, "WEBP", quality=70, method=0)

    original = images.decode(buffer.getvalue(), name="photo").original

    assert opened(original.content).size == (5000, 5000)


def greatest_difference(first, second):
    return max(high for _, high in ImageChops.difference(first, second).getextrema())


@pytest.mark.parametrize(("lossless", "chunk"), [(True, b"VP8L"), (False, b"VP8 ")])
def test_a_webp_is_stored_as_lossless_as_it_was(lossless, chunk):
    drawn, buffer = PIL.Image.radial_gradient("L").convert("RGB"), BytesIO()
    drawn.save(buffer, "WEBP", lossless=lossless, exif=EXIF)

    original = images.decode(buffer.getvalue(), name="photo").original

    assert (chunk in original.content, SECRET in original.content) == (True, False)
    difference = greatest_difference(opened(original.content), opened(buffer.getvalue()))
    assert difference <= (0 if lossless else 12)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content.replace(b"\xff\xdb", b"\x00\xff\xdb", 1),  # a stray byte
        lambda content: content.removesuffix(b"\xff\xd9"),  # no end
    ],
    ids=["a stray byte", "no end"],
)
def test_a_damaged_jpeg_is_stored_without_its_metadata(spoil):
    original = images.decode(spoil(photo("JPEG")), name="photo").original

    assert SECRET not in original.content
    assert opened(original.content).size == (64, 32)


@pytest.mark.parametrize("trailer", [b"", SECRET])
def test_what_follows_a_jpeg_and_its_comments_are_left_out(trailer):
    buffer = BytesIO()
    PIL.Image.new("RGB", (64, 32)).save(buffer, "JPEG", comment=SECRET)

    original = images.decode(buffer.getvalue() + trailer, name="photo").original

    assert SECRET not in original.content


def test_the_words_in_a_png_are_left_out():
    words, buffer = PngInfo(), BytesIO()
    words.add_itxt("XML:com.adobe.xmp", SECRET.decode())
    PIL.Image.new("P", (64, 32)).save(buffer, "PNG", pnginfo=words, transparency=0)

    original = images.decode(buffer.getvalue(), name="photo").original

    assert SECRET not in original.content
    assert opened(original.content).info["transparency"] == 0


def film(file_format, frames, **options):
    buffer = BytesIO()
    frames[0].save(buffer, file_format, save_all=True, append_images=frames[1:], **options)
    return buffer.getvalue()


def moving(side=16):
    """Return frames of a square that moves over a transparent ground."""
    frames = [PIL.Image.new("RGBA", (side, side)) for _ in range(3)]
    for number, (frame, colour) in enumerate(
        zip(frames, ("red", "green", "blue"), strict=True)
    ):
        frame.paste(colour, (4 * number, 0, 4 * number + 4, 4))
    return frames


def seen(frame):
    """Return the pixels of a frame on a white page."""
    page = PIL.Image.new("RGBA", frame.size, "white")
    return PIL.Image.alpha_composite(page, frame.convert("RGBA")).tobytes()


def shown(content):
    """Return each frame of an animation with how long it is shown in milliseconds."""
    with PIL.Image.open(BytesIO(content)) as found:
        return [
            (seen(frame), frame.info["duration"]) for frame in ImageSequence.Iterator(found)
        ]


@pytest.mark.parametrize(
    ("file_format", "options"),
    [
        ("GIF", {"comment": SECRET}),
        ("GIF", {"comment": SECRET, "disposal": 2}),
        ("PNG", {"exif": EXIF}),
        ("PNG", {"exif": EXIF, "disposal": 1, "blend": 1}),
        ("WEBP", {"exif": EXIF, "lossless": True}),
    ],
)
def test_an_animation_moves_as_before_and_has_no_metadata(file_format, options):
    content = film(file_format, moving(), duration=[80, 250, 400], loop=3, **options)

    original = images.decode(content, name="film").original.content

    with PIL.Image.open(BytesIO(original)) as stored:
        assert (stored.n_frames, stored.info["loop"]) == (3, 3)
    assert (SECRET in content, SECRET in original) == (True, False)
    assert shown(original) == shown(content)


def test_an_animated_png_is_stored_without_its_picture_for_old_viewers():
    content = film("PNG", moving(), duration=80, default_image=True)

    original = images.decode(content, name="film").original.content

    assert [pixels for pixels, _ in shown(original)] == [
        seen(frame) for frame in moving()[1:]
    ]


@pytest.mark.parametrize("file_format", ["GIF", "PNG", "WEBP"])
def test_the_pixels_of_all_frames_count(file_format, monkeypatch):
    monkeypatch.setattr(images, "MAX_PIXELS", 10_000)
    colours = [PIL.Image.new("RGB", (50, 50), (n * 50, 0, 0)) for n in range(5)]

    images.decode(film(file_format, colours[:4]), name="film")
    with pytest.raises(NotAPicture, match="more than 25 million pixels"):
        images.decode(film(file_format, colours), name="film")


def test_an_animation_of_very_many_frames_is_refused():
    frame = b"\x2c\0\0\0\0\1\0\1\0\0\x02\x02\x44\x01\0"
    content = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + 1001 * frame + b";"

    with pytest.raises(NotAPicture, match="more than 1,000 frames"):
        images.decode(content, name="film")


def test_a_picture_of_several_views_is_a_jpeg():
    first, second = (PIL.Image.new("RGB", (64, 32), colour) for colour in ("red", "blue"))
    buffer = BytesIO()
    first.save(buffer, "MPO", save_all=True, append_images=[second])

    decoded = images.decode(buffer.getvalue(), name="phone")

    stored = opened(decoded.original.content)
    assert (decoded.extension, decoded.mime_type) == ("jpg", "image/jpeg")
    assert (stored.format, stored.size) == ("JPEG", (64, 32))
