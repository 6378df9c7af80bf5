"""HTML as a row of tokens, before any parser sees it: ``checked`` and ``without_tags``.

A parser repeats formatting that is never closed in every following block, so that 100
kilobytes become 400 megabytes. So a text is read here first, once from left to right,
and what would be repeated too often is refused. Tokens are told apart as the HTML
standard does (section 13.2.5), which is what makes the limit hold. Pure.
"""

import html as entities
import re
from collections import Counter

MAX_TAGS = 10_000
"""Of any text; what is sent has at most half of them, and a parser adds those that end."""
MAX_COPIED = 1_000_000
"""The most characters of open formatting that a parser may repeat."""

_BLANK = r"\t\n\f\r "
_ATTRIBUTE = rf"""
    [^{_BLANK}/>] [^{_BLANK}/>=]*+
    (?: [{_BLANK}]*+ = [{_BLANK}]*+
        (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | (?!["'>]) [^{_BLANK}>]++ )?+
    )?+
"""
_REST = rf"(?: [{_BLANK}/]++ | {_ATTRIBUTE} )*+ (?:>|\Z)"
_NAME_ENDS = rf"(?=[{_BLANK}/>])"
_TOKEN = re.compile(
    rf"""
    <!-- (?: -?> | .*? (?: --!?> | \Z ) )
  | <[!?] [^>]*+ (?:>|\Z)
  | </ (?![a-zA-Z]) [^>]*+ (?:>|\Z)
  | < (?P<dropped> script | style ) {_NAME_ENDS} {_REST}
    .*? (?: </ (?P=dropped) {_NAME_ENDS} {_REST} | \Z )
  | < (?P<raw> iframe | noembed | noframes | noscript | textarea | title | xmp )
    {_NAME_ENDS} {_REST} (?P<text> .*? ) (?: </ (?P=raw) {_NAME_ENDS} {_REST} | \Z )
  | < (?P<slash> /? ) (?P<name> [a-zA-Z] [^{_BLANK}/>]*+ ) (?P<rest> {_REST} )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile("</?[a-zA-Z]")
# A less-than sign that opens no tag and no comment is text: "a < b", "x<y".
_STRAY = re.compile(r"<(?!!--|[a-zA-Z/!?][^<>]*>)")
_FOREIGN = re.compile(
    r"<(svg|math|template)\b[^<>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)
_FOREIGN_END = re.compile(r"</(?:svg|math|template)\s*>", re.IGNORECASE)


_FORMATTING = frozenset(
    {
        "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike",
        "strong", "tt", "u",
    }
)  # fmt: skip
# What neither ends nor repeats the formatting around it.
_INLINE = frozenset(
    {
        "abbr", "bdi", "bdo", "br", "cite", "del", "dfn", "img", "ins", "kbd", "label",
        "mark", "q", "samp", "span", "sub", "sup", "time", "var", "wbr",
    }
)  # fmt: skip
_COPIES_OF_LATE_END = 8
"""How often a parser repeats formatting that ends behind the block it began in."""
_MOST_EQUAL = 3
"""How many equal tags a parser repeats."""


class MarkupError(ValueError):
    """The HTML would cost too much to parse; the message continues "must not"."""


def count_tags(markup: str) -> int:
    """Return how many start and end tags there are, in comments too."""
    return len(_TAG.findall(markup))


def without_tags(markup: str) -> str:
    """Return HTML without tags, comments, scripts and styles; its entities stay."""
    return _TOKEN.sub(lambda token: token["text"] or "", _prepared(markup))


def checked(markup: str) -> str:
    """Return HTML that a parser reads without making very much more of it.

    Left out is what has no place in a text and is read by rules of its own: comments,
    scripts, styles, and the tags of drawings and formulas. Raises ``MarkupError``.
    """
    prepared = _prepared(markup)
    if prepared.count("<") > MAX_TAGS:
        raise MarkupError(f"have more than {MAX_TAGS} tags")
    return _TOKEN.sub(_OpenFormatting().token, prepared)


def _prepared(markup: str) -> str:
    """Escape what is no tag, and leave drawings, formulas and templates out."""
    ends = list(_FOREIGN_END.finditer(markup))
    if ends:  # only as far as there are ends, so that no search is in vain
        last = ends[-1].end()
        markup = _FOREIGN.sub("", markup[:last]) + markup[last:]
    return _STRAY.sub("&lt;", markup)


class _OpenFormatting:
    """The formatting that is open at most, as a parser repeats it in each new block.

    It counts as closed only where every parser closes it: by its end tag in the same block.
    """

    def __init__(self) -> None:
        self._here: list[tuple[str, str]] = []
        """Names and tags, since the last block began or ended."""
        self._before = Counter[str]()
        self._length = 0
        """Of the tags in ``_before``."""
        self._link = 0
        """The length of the longest link among them."""
        self._copied = 0

    def token(self, token: re.Match[str]) -> str:
        """Return what stays of a token. Raises ``MarkupError``."""
        if token["text"]:
            return entities.escape(token["text"], quote=False)
        name = (token["name"] or "").lower()
        if name in {"", "svg", "math", "plaintext"}:
            return ""
        if name in _FORMATTING and not token["slash"]:
            self._here.append((name, token[0]))
        elif name in _FORMATTING:
            self._end(name)
        elif name not in _INLINE:
            self._block()
        if self._copied > MAX_COPIED:
            raise MarkupError("leave formatting open over so many blocks")
        return token[0]

    def _end(self, name: str) -> None:
        for at in range(len(self._here) - 1, -1, -1):
            if self._here[at][0] == name:
                del self._here[at]
                return
        self._copied += _COPIES_OF_LATE_END * self._length

    def _block(self) -> None:
        for name, tag in self._here:
            if name == "a":  # closed by the next one: count the longest
                self._length += max(0, len(tag) - self._link)
                self._link = max(self._link, len(tag))
            elif self._before[tag] < _MOST_EQUAL:
                self._before[tag] += 1
                self._length += len(tag)
        self._here.clear()
        self._copied += self._length
