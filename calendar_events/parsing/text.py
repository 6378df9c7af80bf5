"""Text in and out: plain titles, sanitised HTML, folding and search queries.

The rules are those of decisions 7 ("Text", "Search"). HTML is parsed and cleaned
by nh3, never here, and only what ``markup`` lets pass. How long a text may be is for
callers to say. Pure: no settings, no models.
"""

import html as entities
import re
import unicodedata
from dataclasses import dataclass

import nh3

from calendar_events.parsing import markup
from calendar_events.parsing.markup import MarkupError

# What a description may contain: the structure of text, links, pictures and tables; no
# styles, scripts, forms, frames or ids. Everything else is removed, its words are kept.
ALLOWED_TAGS = frozenset(
    {
        "a", "abbr", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code",
        "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em",
        "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img",
        "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s",
        "samp", "small", "span", "strike", "strong", "sub", "summary", "sup", "table",
        "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var",
        "wbr",
    }
)  # fmt: skip
ALLOWED_ATTRIBUTES = {
    "*": {"class", "dir", "lang", "title"},
    "a": {"href", "hreflang"},
    "blockquote": {"cite"},
    "col": {"span"},
    "colgroup": {"span"},
    "del": {"cite", "datetime"},
    "img": {"alt", "height", "src", "width"},
    "ins": {"cite", "datetime"},
    "ol": {"start", "reversed"},
    "q": {"cite"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
ALLOWED_SCHEMES = {"http", "https", "mailto", "tel"}
# Made once: what is allowed takes longer to hand over than most texts take to clean.
_CLEANER = nh3.Cleaner(
    tags=set(ALLOWED_TAGS),
    attributes=ALLOWED_ATTRIBUTES,
    url_schemes=ALLOWED_SCHEMES,
    link_rel="noopener noreferrer",
)

_BLOCKS = (
    "blockquote|caption|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hr|li|ol|p|pre"
    "|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
_BLOCK = re.compile(rf"<(?:{_BLOCKS})\b", re.IGNORECASE)
BREAK = re.compile(rf"(?=</?(?:{_BLOCKS}|br)\b)", re.IGNORECASE)
_PRE_START = re.compile(r"(<pre\b[^<>]*>)\n+")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
# Each pass decodes entities once; a text that was escaped more often is meant badly.
_MAX_PASSES = 5
# Python's ``int`` refuses thousands of digits; no character has a number of eight.
_NUMBER = re.compile(r"&#(?=[0-9]{8})0*([0-9]*);?")
# Parsers move what is nested wrongly, and may move it again when they read the result.
# What browsers and editors write is settled by the first parse, most else by the second.
_MAX_PARSES = 3


_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
# Control characters but tab and line feed, NUL among them; the halves of surrogate pairs,
# which cannot be encoded; and the noncharacters that XML 1.0 excludes.
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _readable(text: str) -> str:
    """Return ``text`` with line feeds for line ends, and without what is no text."""
    return _UNREADABLE.sub("", _LINE_ENDS.sub("\n", text))


def _decoded(escaped: str) -> str:
    """Decode entities once."""
    return entities.unescape(_NUMBER.sub(lambda found: f"&#{found[1][:8] or 0};", escaped))


def _without_tags(text: str) -> str:
    return markup.without_tags(text) if "<" in text else text


def plain(text: str) -> str:
    """Return a title or name as plain text on one line.

    Tags are removed, a lone ``<`` stays, and no entity is left, however often the text
    was escaped on its way here. What was escaped is no tag: ``&lt;b&gt;`` is ``<b>``.
    """
    result = _without_tags(_readable(text))
    for _ in range(_MAX_PASSES):
        before, result = result, _readable(_decoded(result))
        if result == before:
            break
    else:
        result = result.replace("&", "")
    return " ".join(result.split())


class SafeHtml(str):
    """HTML that ``html`` or ``safe_html`` made, and need not make again."""

    __slots__ = ()


def html(text: str) -> SafeHtml:
    """Return a description as HTML that is safe to show, whatever it was.

    Of what ``strict_html`` refuses the words are left.
    """
    try:
        return strict_html(text)
    except MarkupError:
        return SafeHtml(_paragraphs(entities.escape(strip_html(text), quote=False)))


def strict_html(text: str) -> SafeHtml:
    """Return a description as HTML that is safe to show.

    Plain text becomes paragraphs: a blank line parts them, a line feed is a break. What
    has blocks of its own is only cleaned. ``html`` changes nothing in what it returned.

    Raises ``MarkupError``.
    """
    if isinstance(text, SafeHtml):
        return text
    result = _readable(text)
    for _ in range(_MAX_PARSES):
        before, result = result, _paragraphs(_clean(result))
        if result == before:
            return SafeHtml(result)
    # Tags nested so badly that every parse makes something else of them: keep the words.
    words = entities.escape(strip_html(result), quote=False)
    return SafeHtml(_paragraphs(words))


def _paragraphs(markup: str) -> str:
    """Return cleaned HTML with paragraphs, if it has no block of its own."""
    stripped = markup.strip()
    if not stripped or _BLOCK.search(stripped):
        return stripped
    paragraphs = _BLANK_LINES.split(stripped)
    lines = ("<br>\n".join(paragraph.strip().split("\n")) for paragraph in paragraphs)
    return "\n".join(f"<p>{line}</p>" for line in lines)


def safe_html(text: str) -> SafeHtml:
    """Return HTML that is safe to show, as it is: no paragraphs are made.

    So the observed peer answers the descriptions of terms (contract events 10).
    Raises ``MarkupError``.
    """
    return SafeHtml(_clean(_readable(text)).strip())


def _clean(untrusted: str) -> str:
    cleaned = _CLEANER.clean(markup.checked(untrusted) if "<" in untrusted else untrusted)
    # A line feed there is none to a parser, so that another one would go with each pass.
    return _PRE_START.sub(r"\1", cleaned)


def strip_html(text: str) -> str:
    """Return the words of HTML on one line; blocks are parted, inline tags are not."""
    bare = _without_tags(BREAK.sub(" ", text))
    return " ".join(_readable(_decoded(bare)).split())


# Latin letters with a stroke or a ligature are letters of their own in Unicode and do not
# decompose, yet people type them without.
_LETTERS = {
    "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ħ": "h",
    "\N{LATIN SMALL LETTER DOTLESS I}": "i", "ł": "l", "ŧ": "t", "ŋ": "n",
    "ƶ": "z", "ß": "ss",
}  # fmt: skip
_LETTER = re.compile(f"[{''.join(_LETTERS)}]")
# Accents of Latin, Greek and Cyrillic, points of Hebrew, vowel signs of Arabic: all are
# optional in writing. Marks of other scripts (dakuten, matras) are part of the letter.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
)


# Sorting the marks of one letter takes the square of their number, so no letter keeps
# more of them than it may have in "stream-safe text" (UAX 15). All are in this range.
_MARKS_IN_A_ROW = 30
_MARKS = [
    code
    for code in range(0x300, 0x1F000)
    if unicodedata.combining(unicodedata.normalize("NFKD", chr(code))[0])
]
_MARK = "".join(  # as ranges, which are looked up faster
    f"{chr(first)}-" if first + 1 in _MARKS else chr(first)
    for first in _MARKS
    if first - 1 not in _MARKS or first + 1 not in _MARKS
)
_MANY_MARKS = re.compile(f"[{_MARK}]{{{_MARKS_IN_A_ROW + 1},}}")
# One ligature stands for eighteen letters; no language writes in such alone.
_EXPANSION, _EXPANSION_OF_SHORT_TEXTS = 4, 1000


def fold(text: str) -> str:
    """Return ``text`` for comparison: without case, accents, and runs of blanks."""
    if text.isascii():
        return " ".join(text.lower().split())
    longest = _EXPANSION * len(text) + _EXPANSION_OF_SHORT_TEXTS
    folded = _MANY_MARKS.sub(lambda marks: marks[0][:_MARKS_IN_A_ROW], text)
    for _ in range(2):  # casefolding can make what decomposes, and the other way round
        folded = unicodedata.normalize("NFKD", folded)[:longest].casefold()
        folded = _LETTER.sub(lambda letter: _LETTERS[letter[0]], folded)
    bare = _ACCENTS.sub("", folded)
    return " ".join(unicodedata.normalize("NFC", bare).split())


class SearchError(ValueError):
    """Nothing can be searched for with this text; the message says why, for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """The terms of a search: substrings, folded like the text that is searched."""

    wanted: tuple[str, ...]
    excluded: tuple[str, ...]


MAX_SEARCH_TERMS = 20  # each is a condition on several columns
_TERM = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))')
_QUOTES = str.maketrans(
    {"\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"'}
)


def search_query(text: str) -> SearchQuery:
    """Read a search: every word is wanted, ``"a phrase"`` too, ``-word`` is excluded.

    A quotation mark without its partner parts words like a blank, and so do dashes.
    Raises ``SearchError`` when no word is left or there are too many.
    """
    wanted: dict[str, None] = {}
    excluded: dict[str, None] = {}
    for match in _TERM.finditer(_readable(text).translate(_QUOTES)):
        term = fold(match["phrase"] or match["word"] or "")
        if term.strip("-"):
            (excluded if match["minus"] else wanted).setdefault(term)
    if not wanted and not excluded:
        raise SearchError("There is no word to search for.")
    if len(wanted) + len(excluded) > MAX_SEARCH_TERMS:
        raise SearchError(f"A search has at most {MAX_SEARCH_TERMS} words.")
    return SearchQuery(wanted=tuple(wanted), excluded=tuple(excluded))
