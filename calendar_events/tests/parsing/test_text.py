"""Plain titles, safe HTML, folding and search queries."""

# ruff: noqa: RUF001 -- letters that look like others are what is tested

import html as entities
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_events.parsing import text
from calendar_events.parsing.text import SearchError, SearchQuery

MARKUP = st.lists(
    st.sampled_from(
        # Tags and parts of tags, well and badly formed
        ["<", ">", "</", "<b>", "</b>", "<p>", "</p>", "<br>", "<li>", "<table>", "<pre>",
         "<script>", "</script>", "<style>", "<svg>", "<math>", "<title>", "<textarea>",
         "<plaintext>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "<a href='", "javascript:",
         "' onclick='", "'>", "<img src=x onerror=y>",
         # entities
         "&lt;", "&gt;", "&amp;", "&#60;", "&#x26;", "&", ";", "amp",
         # blanks, what is no text, and letters.
         "\n", "\n\n", "\r", "\t", " ", "\0", "\x0b", "\u2028", "\ufffe", "a", "é", "日"]
    ),
    max_size=12,
).map("".join)  # fmt: skip
ANY_TEXT = st.one_of(st.text(max_size=60), MARKUP)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("Yoga", "Yoga"),
        ("", ""),
        ("  a\n\tb\r\n c ", "a b c"),
        ("<b>Big</b> <i>night</i>", "Big night"),
        ("a < b", "a < b"),
        ("a > b", "a > b"),
        ("x<y and z", "x<y and z"),
        ("1<2", "1<2"),
        ("I <3 you", "I <3 you"),
        ("Rock & Roll", "Rock & Roll"),
        ("AT&T", "AT&T"),
        ("Rock &amp; Roll", "Rock & Roll"),
        ("Rock &#038; Roll", "Rock & Roll"),
        ("&#8220;Quoted&#8221; &#8212; it&#8217;s", "“Quoted” — it’s"),
        ("Rock &amp;amp; Roll", "Rock & Roll"),  # escaped twice, as the peer did
        ("caf&eacute;", "café"),
        ("Learn &lt;b&gt;", "Learn <b>"),  # what was escaped is text, not a tag
        ("Learn &amp;lt;b&amp;gt;", "Learn <b>"),
        ("<i>&lt;b&gt;</i>", "<b>"),
        ("&#" + "0" * 5000 + "65;&#" + "9" * 5000 + ";", "A\ufffd"),
        ("<script>alert(1)</script>Safe", "Safe"),
        ("<!-- note -->Shown", "Shown"),
        ("nul\0 and \x07bell", "nul and bell"),
        ("half \ud800 pair", "half pair"),
        ("\ufffenot a character\uffff", "not a character"),
        ("family 👨\u200d👩\u200d👧", "family 👨\u200d👩\u200d👧"),
        ("日本語のイベント", "日本語のイベント"),
    ],
)  # fmt: skip
def test_a_title_is_plain_text(given_text, expected):
    assert text.plain(given_text) == expected


@given(ANY_TEXT)
@example("&amp;" * 20 + "lt;")
@example("&" + "amp;" * 40 + "lt;b>")
@example("<" * 10 + "b>" * 10)
def test_a_plain_title_has_no_entity_and_is_itself_unless_it_shows_a_tag(given_text):
    plain = text.plain(given_text)

    assert text.plain(plain) == plain or "<" in plain
    assert entities.unescape(plain) == plain
    assert not any(unicodedata.category(character) in {"Cc", "Cs"} for character in plain)


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("", ""),
        (" \n ", ""),
        ("All about it", "<p>All about it</p>"),
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("one\r\n\r\ntwo", "<p>one</p>\n<p>two</p>"),
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("x<y", "<p>x&lt;y</p>"),
        ("<p>Long text</p>", "<p>Long text</p>"),
        ("<em>soft</em> words", "<p><em>soft</em> words</p>"),
        ("<h2>Title</h2>\n\nrest", "<h2>Title</h2>\n\nrest"),
        ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
        ("<pre>a\n\nb</pre>", "<pre>a\n\nb</pre>"),
        ("<pre>\n\na</pre>", "<pre>a</pre>"),
        ("<p class='wp-block' lang=de>x</p>", '<p class="wp-block" lang="de">x</p>'),
        ('<p><img src="https://x.example/a.png" alt="A"></p>',
         '<p><img src="https://x.example/a.png" alt="A"></p>'),
        ("<p>caf&eacute; &lt;b&gt;</p>", "<p>café &lt;b&gt;</p>"),
    ],
)  # fmt: skip
def test_a_description_is_html_and_plain_text_becomes_paragraphs(given_text, expected):
    assert text.html(given_text) == expected


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("<script>alert(1)</script>", ""),
        ("<p>a<style>p{color:red}</style></p>", "<p>a</p>"),
        ("<p onclick='x()'>a</p>", "<p>a</p>"),
        ("<p style='position:fixed'>a</p>", "<p>a</p>"),
        ("<p><a href='javascript:x()'>a</a></p>",
         '<p><a rel="noopener noreferrer">a</a></p>'),
        ("<p><a href='jAvA&#10;script:x()'>a</a></p>",
         '<p><a rel="noopener noreferrer">a</a></p>'),
        ("<p><img src='data:image/svg+xml,x'></p>", "<p><img></p>"),
        ("<p><img src=x onerror=y()></p>", '<p><img src="x"></p>'),
        ("<iframe src='https://x.example'></iframe><p>a</p>", "<p>a</p>"),
        ("<form action=/x><input name=q><button>Go</button></form><p>a</p>", "Go<p>a</p>"),
        ("<p id=login>a</p>", "<p>a</p>"),
        ("<svg><script>x</script></svg><p>a</p>", "<p>a</p>"),
        ("<p>a<!-- <script> --></p>", "<p>a</p>"),
    ],
)  # fmt: skip
def test_what_is_not_on_the_allow_list_is_removed(given_text, expected):
    assert text.html(given_text) == expected


@given(ANY_TEXT)
@example("<b>x\n\ny</b>")
@example("<b><p>x</b>\n\ny</p>")
@example("<a href=x>one\n\ntwo</a>")
@example("<li><table><li>")
@example("<li><table>" * 9)
@example("<a><h1><select>" * 8)
@example("<svg><p><style><img src=x onerror=y>")
def test_a_description_is_itself_so_that_an_answer_can_be_sent_back(given_text):
    description = text.html(given_text)

    assert text.html(description) == description


def test_tags_that_no_parse_puts_in_order_leave_their_words():
    assert text.html("<a><h1><select>" * 8 + "x < y") == "<p>x &lt; y</p>"


class Found(HTMLParser):
    """What a browser would see: every tag with its attributes."""

    def __init__(self, markup):
        super().__init__()
        self.tags = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


@given(ANY_TEXT)
def test_a_description_has_only_what_is_on_the_allow_list(given_text):
    found = Found(text.html(given_text)).tags

    for tag, attributes in found:
        allowed = text.ALLOWED_ATTRIBUTES["*"] | text.ALLOWED_ATTRIBUTES.get(tag, set())
        assert tag in text.ALLOWED_TAGS
        assert attributes.keys() <= allowed | ({"rel"} if tag == "a" else set())
        assert not str(attributes.get("href")).lower().startswith("javascript")


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("<p>one</p><p>two</p>", "one two"),
        ("one<br>two", "one two"),
        ("<ul><li>a</li><li>b</li></ul>", "a b"),
        ("<b>f</b>oo", "foo"),
        ("a &lt; b &amp; c", "a < b & c"),
        ("<p>&lt;b&gt;</p>", "<b>"),
        ("<script>x</script>", ""),
        ("", ""),
    ],
)
def test_the_words_of_html_are_parted_by_blocks(markup, words):
    assert text.strip_html(markup) == words


@given(st.text(max_size=60))
def test_the_words_of_plain_text_survive_the_way_through_html(given_text):
    shown = text.html(given_text.replace("<", "(").replace("&", "+"))

    assert text.strip_html(shown) == text.plain(
        given_text.replace("<", "(").replace("&", "+")
    )


@pytest.mark.parametrize(
    ("given_text", "folded"),
    [
        ("Straße", "strasse"),
        ("ÉCOLE", "ecole"),
        ("E\u0301cole", "ecole"),
        ("Ørsted Łódź Đakovo", "orsted lodz dakovo"),
        ("ŒUVRE Æther", "oeuvre aether"),
        ("İSTANBUL ısı", "istanbul isi"),
        ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
        ("Ёлка", "елка"),
        ("Tiếng Việt", "tieng viet"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("ﬁn", "fin"),
        ("שָׁלוֹם", "שלום"),
        ("  two\n words ", "two words"),
    ],
)  # fmt: skip
def test_case_and_accents_are_folded(given_text, folded):
    assert text.fold(given_text) == folded


@pytest.mark.parametrize(
    ("one", "other"), [("が", "か"), ("हिन्दी", "हनद"), ("각", "가"), ("ー", "一")]
)
def test_marks_that_make_another_letter_are_kept(one, other):
    assert text.fold(one) != text.fold(other)


@given(st.text(max_size=40))
@example("\u0345")
@example("\u1e9e")
@example("\u0149")
@example("\u03d2\u0301")
def test_folding_is_the_same_in_any_case_and_form_and_when_repeated(given_text):
    folded = text.fold(given_text)

    assert text.fold(folded) == folded
    assert text.fold(unicodedata.normalize("NFD", given_text)) == folded
    assert text.fold(given_text.casefold()) == folded


@pytest.mark.parametrize(
    ("search", "wanted", "excluded"),
    [
        ("yoga", ("yoga",), ()),
        ("Yoga ÉVENING", ("yoga", "evening"), ()),
        ('"open air" yoga', ("open air", "yoga"), ()),
        ("yoga -indoor", ("yoga",), ("indoor",)),
        ('-"open air"', (), ("open air",)),
        ("“open air”", ("open air",), ()),
        ("hip-hop", ("hip-hop",), ()),
        ("a - b", ("a", "b"), ()),
        ("yoga yoga", ("yoga",), ()),
        ('open "air', ("open", "air"), ()),
        ("100% _x", ("100%", "_x"), ()),
        ("日本語 テスト", ("日本語", "テスト"), ()),
        ("a\0b", ("ab",), ()),
    ],
)
def test_a_search_is_words_phrases_and_exclusions(search, wanted, excluded):
    assert text.search_query(search) == SearchQuery(wanted=wanted, excluded=excluded)


@pytest.mark.parametrize(
    "search", ["", "  ", '""', '" "', "-", "--", '-""', "\0", "\u0301"]
)
def test_a_search_without_a_word_is_refused(search):
    with pytest.raises(SearchError, match="no word"):
        text.search_query(search)


def test_a_search_for_too_many_words_is_refused():
    with pytest.raises(SearchError, match="at most 20"):
        text.search_query(" ".join(map(str, range(21))))


@given(st.text(st.sampled_from('ab -"“”é\n'), max_size=20))
def test_any_search_is_folded_terms_or_refused(search):
    try:
        query = text.search_query(search)
    except SearchError:
        return

    terms = query.wanted + query.excluded
    assert terms
    assert all(term == text.fold(term) and term.strip("-") for term in terms)


@pytest.mark.parametrize(
    "hostile",
    ["<" * 50_000, "<a " * 50_000, "<b>" * 20_000, "<script>" * 20_000, "<!--" * 20_000,
     "&" + "amp;" * 50_000, "&#38;" * 30_000, '"' * 50_000, "\n \n" * 20_000],
)  # fmt: skip
def test_hostile_text_neither_grows_nor_takes_for_ever(hostile):
    """A parser that goes back over what it read would need hours for one of these."""
    for rendered in (text.plain(hostile), text.strip_html(hostile), text.html(hostile)):
        assert len(rendered) <= 5 * len(hostile)  # each sign becomes an entity at most
        assert "<script" not in rendered

    assert len(text.fold(hostile)) <= len(hostile)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Words", "Words"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("<em>Words</em><script>alert(1)</script>", "<em>Words</em>"),
        ("one\n\ntwo", "one\n\ntwo"),
    ],
)
def test_the_description_of_a_term_is_made_safe_and_left_in_one_piece(written, shown):
    assert text.safe_html(written) == shown
    assert text.safe_html(shown) == shown
