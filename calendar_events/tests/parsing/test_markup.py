"""The reading of HTML before it is parsed: what it leaves out, and what it refuses."""

import os
import sys

import nh3
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calendar_events.parsing import costs, dates, markup, slugs, text
from calendar_events.parsing.markup import MarkupError

IS_LONG = os.environ.get("FUZZ") == "long"
VOID = ["br", "col", "hr", "img", "input"]
NAMES = [
    "a", "b", "i", "u", "font", "nobr", "p", "div", "span", "li", "ul", "ol", "dl", "dd",
    "dt", "table", "caption", "colgroup", "tr", "td", "th", "tbody", "select", "option",
    "button", "form", "object", "applet", "marquee", "template", "label", "section",
    "x-foo", "h1", "h2", "pre", "ruby", "rt", "fieldset", "frameset", "html", "head",
    "body", "details", "summary", "svg", "math", "title", "style", "textarea",
    "noscript", "plaintext", *VOID,
]  # fmt: skip
PATTERN = st.lists(
    st.one_of(
        st.sampled_from([f"<{name}>" for name in NAMES]),
        st.sampled_from([f"</{name}>" for name in NAMES]),
        st.sampled_from(
            ["x", "<!--", "-->", "<a x='", '<a x="', "'>", '">', "<![CDATA[", "]]>",
             "<p/>", "</>", "<!x>", "<?x>", "<b class=y>"]
        ),
    ),
    max_size=7,
).map("".join)  # fmt: skip


def parsed(html):
    """Return the tree that the parser makes, nothing removed."""
    return nh3.clean(
        html,
        tags={*NAMES, "textarea"} - {"style", "svg", "math"},
        clean_content_tags={"style"},
        attributes={"a": {"href"}, "b": {"class"}},
        link_rel=None,
    )


@settings(max_examples=20_000 if IS_LONG else 200, deadline=None)
@given(before=PATTERN, again=PATTERN, also=PATTERN)
@example(before="", again="<div><table></div>", also="")
@example(before="", again="<form><span></form>", also="")
@example(before="", again="<td><dd></td><td><li></td>", also="")
@example(before="", again="<b><div></b>", also="")
@example(before="<title><!--</title>", again="<div>", also="")
@example(before="<a x='>", again="<div>", also="")
@example(before="<svg>", again="<col>", also="")
@example(before="<p><a href=https://x.example/a-long-address>x", again="<p>x", also="")
@example(before="", again="<b><i class=yyyyyyyyyyy><div></b></i>", also="")
@pytest.mark.fuzz
def test_what_passes_makes_no_long_tree(before, again, also):
    html = before + again * 200 + also * 200

    try:
        checked = markup.checked(html)
    except MarkupError:
        return
    tree = parsed(checked)

    assert len(tree) <= 10 * len(html) + 2 * markup.MAX_COPIED


BOLD = "".join(f'<b class="{number}">' for number in range(1000))
LONG = f'<i class="{"y" * 60_000}">'


@pytest.mark.parametrize(
    ("html", "why"),
    [
        ("<b></b>" * 5_001, "have more than 10000 tags"),
        ('<p><a href="' + "x" * 80_000 + '">' + "<p>x" * 4900, "leave formatting open"),
        ("<p>" + BOLD + "<p>x" * 4000, "leave formatting open"),
        ("<p>" + LONG + "<!-- </i> -->" + "<p>x" * 4900, "leave formatting open"),
        (LONG + "<table><td></i></td></table>" + "<p>x" * 4900, "leave formatting open"),
        (LONG + "<div>" * 9 + "</i>" + "</div>" * 9 + "<p>x" * 40, "leave formatting open"),
        (LONG + "<b><div></b>" * 1600, "leave formatting open"),
    ],
)
def test_what_would_cost_a_parser_much_is_refused_with_the_reason(html, why):
    with pytest.raises(MarkupError, match=why):
        markup.checked(html)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 2500 + "</div>" * 2500,
        "<strong><p>some words here</p></strong>" * 1000,
        f"<table>{'<tr><td><a href=/x>a</a><td><b>b<br>c</b>' * 500}</table>",
        "<p>one" * 1000,
        "<ul>" + "<li>one" * 1000 + "</ul>",
        "<dl>" + "<dt>a<dd>b" * 500 + "</dl>",
        "<table>" + "<tr><td>a<td>b" * 500 + "</table>",
        "<table><thead><tr><th>a<tbody>" + "<tr><td><p>a<td>b" * 500 + "</table>",
        "<div><span>a</div>" * 500,
        "<b><i>a</b></i>" * 500,
        "<p>a<br>b<img src=x>" * 500,
        "<p " + 'title="' + "a b c " * 5000 + '">x</p>',
        f'<a href="{"x" * 200}"><div><h3>a</h3><p>b</p></div></a>' * 150,
        '<font face="Arial, Helvetica" size=2>'
        + "<p>some words here</p>" * 500
        + "</font>",
    ],
)
def test_what_people_write_passes_as_it_is(html):
    assert markup.checked(html) == html


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<b title='a > b'>c</b>", "c"),
        ("a<!-- <b> -->b<!-->c<!--->d<!--x--!>e", "abcde"),
        ("a<!x>b<?y>c</ z>d</>e", "abcde"),
        ("a<script>b<c</script >d<style>e", "ad"),
        ("a<textarea>b</textarea>c", "abc"),
        ("a<svg><title>b</title></svg>c", "ac"),
        ("the <svg> tag", "the  tag"),
        ("a < b &lt; c", "a &lt; b &lt; c"),
        ('a<b x=">c', "a"),
        ("a<b x= 'y' z =w/>c", "ac"),
    ],
)
def test_the_words_of_html_are_what_is_in_no_token(html, words):
    assert markup.without_tags(html) == words


# Each is repeated; what is given is what must grow with the repetitions, and no faster.
HOSTILE = {
    "tags": "<div>", "pairs": "<b></b>", "stray": "<", "open tags": "<a ",
    "comments": "<!--", "scripts": "<script>", "quotes": '<a x=">="', "svg": "<svg>",
    "entities": "&amp;", "nested entities": "amp;", "digits": "&#1", "brackets": "[",
    "marks": "\u0300\u0316", "long word": "a", "blanks": " ", "lines": "\n \n",
    "attributes": "a ", "escapes": "%41", "raw": "<title>", "encoded tags": "&lt;pre",
}  # fmt: skip
BEFORE = {"nested entities": "&", "digits": "", "attributes": "<a ", "marks": "a"}
BEFORE["encoded tags"] = '<p title="'
AFTER = {"attributes": ">", "encoded tags": '">'}


def quiet(function):
    """Return a function of a text that may be refused."""

    def call(given_text):
        try:
            function(given_text)
        except ValueError:  # all our refusals are
            return

    return call


WORK = {
    "html": quiet(text.strict_html),
    "any html": text.html,
    "term": quiet(text.safe_html),
    "plain": text.plain,
    "strip": text.strip_html,
    "fold": text.fold,
    "slug": lambda given_text: slugs.from_title(given_text, fallback=""),
    "path": slugs.from_path,
    "cost": quiet(costs.source),
    "search": quiet(text.search_query),
    "date": quiet(lambda given_text: dates.parse(given_text, now=None, zone=None)),
}


def hostile(shape, count):
    return BEFORE.get(shape, "") + HOSTILE[shape] * count + AFTER.get(shape, "")


def steps(function, given_text):
    """Return how many functions are called, of Python and of C."""
    counted = 0

    def count(frame, kind, argument):
        nonlocal counted
        counted += kind in {"call", "c_call"}

    sys.setprofile(count)
    try:
        function(given_text)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("shape", HOSTILE)
@pytest.mark.parametrize("work", WORK)
def test_twice_the_text_is_at_most_twice_the_work(work, shape):
    steps(WORK[work], "warm &amp; <b>up</b> é")
    once = steps(WORK[work], hostile(shape, 1000))
    twice = steps(WORK[work], hostile(shape, 2000))

    assert twice <= 2.2 * once + 50


@pytest.mark.parametrize(
    ("html", "parses"),
    [
        ("<p>As it is answered</p>", 1),
        ("Some words", 2),
        ("<ul><li>a<li>b</ul>", 2),
        ("<li><table>" * 9, 3),
        ("<div>" * 10_001, 0),
    ],
)
def test_html_is_parsed_until_it_is_its_own_parse_and_then_never_again(html, parses):
    counted = 0

    def count(frame, kind, argument):
        nonlocal counted
        counted += kind == "c_call" and argument == text._CLEANER.clean

    sys.setprofile(count)
    try:
        safe = text.html(html)
        text.html(safe)
        text.strip_html(safe)
    finally:
        sys.setprofile(None)

    assert counted == parses
