"""Slugs: made from titles, found by paths, numbered when taken."""

import re
from itertools import islice
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_events.parsing import slugs

SLUG = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+")


def slug(title):
    return slugs.from_title(title, fallback="event")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Bare Evening", "bare-evening"),
        ("  Two   blanks ", "two-blanks"),
        ("Café Münster", "cafe-munster"),
        ("Ørsted & Łódź", "orsted-lodz"),
        ("Straße", "strasse"),
        ("5 € entry", "5-e-entry"),
        ("It's rock'n'roll!", "its-rocknroll"),
        ("“Quoted” — dashed \N{EN DASH} twice", "quoted-dashed-twice"),
        ("v1.2/beta", "v1-2-beta"),
        ("snake_case", "snake_case"),
        ("100% fun", "100-fun"),
        ("C++ & C#", "c-c"),
        ("<b>Bold</b> &amp; brave", "bold-brave"),
        ("-- dashes --", "dashes"),
        ("日本語", "%e6%97%a5%e6%9c%ac%e8%aa%9e"),
        ("Вечер Йоги", "%d0%b2%d0%b5%d1%87%d0%b5%d1%80-%d0%b8%d0%be%d0%b3%d0%b8"),
        ("%E6%97%A5", "%e6%97%a5"),
        ("%2e%2e%2fetc", "etc"),
        ("%ff%fe odd", "odd"),
        ("2031", "2031"),
    ],
)
def test_a_title_makes_a_slug(title, expected):
    assert slug(title) == expected


@pytest.mark.parametrize("title", ["", "  ", "🎉", "!!!", "$", "\0", "---", "%ff"])
def test_a_title_without_letters_or_digits_gets_the_fallback(title):
    assert slug(title) == "event"


@pytest.mark.parametrize(
    ("title", "length"),
    [
        ("a" * 500, 200),
        ("日" * 100, 198),
        ("é" * 300, 200),
        ("ab " * 100, 200),
        ("𠀀" * 50, 192),
    ],
)
def test_a_slug_is_cut_between_characters(title, length):
    made = slug(title)

    assert len(made) == length
    assert not made.endswith("-")
    assert "\ufffd" not in unquote(made)


@given(st.one_of(st.text(max_size=300), st.text("a-_% %e6%97/.é日🎉&;", max_size=80)))
@example("\u13a0")  # its small letter is the one that casefolding changes
@example("%25e6")
@example("%2525")
@example("&#37;e6&#37;97&#37;a5")
@example("\u1e9e\u0345")
def test_every_slug_is_its_own_slug_and_fits_an_address(title):
    made = slug(title)

    assert SLUG.fullmatch(made)
    assert len(made) <= slugs.MAX_LENGTH
    assert slug(made) == made
    assert slugs.from_path(made) == made
    assert slugs.from_path(unquote(made)) == made


@pytest.mark.parametrize(
    ("segment", "stored"),
    [
        ("bare-evening", "bare-evening"),
        ("Bare-Evening", "bare-evening"),
        ("日本", "%e6%97%a5%e6%9c%ac"),
        ("%E6%97%A5", "%e6%97%a5"),
        ("no such.slug", "no%20such.slug"),
        ("nul\0", "nul%00"),
        ("bare-evening__trashed", "bare-evening__trashed"),
        ("\ud800", "%3f"),
        ("%ff", ""),
    ],
)
def test_a_segment_of_a_path_is_the_slug_as_it_is_stored(segment, stored):
    assert slugs.from_path(segment) == stored


def test_candidates_are_numbered_from_two():
    assert list(islice(slugs.candidates("yoga"), 4)) == [
        "yoga",
        "yoga-2",
        "yoga-3",
        "yoga-4",
    ]


@given(st.text(min_size=1, max_size=300), st.integers(1, 30))
def test_candidates_differ_and_fit(title, count):
    found = list(islice(slugs.candidates(slug(title)), count))

    assert len(set(found)) == count
    assert all(SLUG.fullmatch(candidate) for candidate in found)
    assert all(len(candidate) <= slugs.MAX_LENGTH for candidate in found)


def test_a_long_candidate_makes_room_for_its_number_between_characters():
    _, second = islice(slugs.candidates(slug("日" * 100)), 2)

    assert second == "%e6%97%a5" * 22 + "-2"
