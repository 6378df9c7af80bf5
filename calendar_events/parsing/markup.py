"""HTML as a row of tokens, before any parser sees it: ``checked`` and ``without_tags``.

A parser that builds a tree takes time that grows with the depth of the tree for every
tag, with the square of the attributes of one tag, and copies formatting that is never
closed into every following block. So a text is read here first, once from left to right,
and what would cost more than its length is refused. Tokens are told apart as the HTML
standard does (section 13.2.5), which is what makes the limits hold. Pure.
"""

import html as entities
import re

MAX_TAGS = 20_000
MAX_DEPTH = 100
MAX_ATTRIBUTES = 100
# How much formatting that is still open may be copied, in characters: so many times the
# text, and something for short texts.
COPIES = 4
COPIES_OF_SHORT_TEXTS = 20_000

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
_ATTRIBUTES = re.compile(_ATTRIBUTE, re.VERBOSE)
# A less-than sign that opens no tag and no comment is text: "a < b", "x<y".
_STRAY = re.compile(r"<(?!!--|[a-zA-Z/!?][^<>]*>)")
_FOREIGN = re.compile(
    r"<(svg|math|template)\b[^<>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE
)
_FOREIGN_END = re.compile(r"</(?:svg|math|template)\s*>", re.IGNORECASE)


def _names(row: str) -> frozenset[str]:
    return frozenset(row.split())


_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
_INLINE = _FORMATTING | _names(
    "abbr bdi bdo cite del dfn ins kbd label mark q samp span sub sup time var"
)
_CELLS, _ROWS = ("p", "td", "th"), ("p", "td", "th", "tr")
_SECTIONS = (*_ROWS, "tbody", "thead", "tfoot")
_BLOCKS = _names(
    "address article aside blockquote center details dialog dir div dl fieldset"
    " figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup main menu nav ol p pre"
    " search section summary ul"
)
# Which open elements a start tag closes, from the innermost on.
_CLOSED_BY_START = {
    **dict.fromkeys(_BLOCKS | {"form", "hr"}, ("p",)),
    "li": ("p", "li"),
    **dict.fromkeys(("dd", "dt"), ("p", "dd", "dt")),
    **dict.fromkeys(("td", "th"), _CELLS),
    "tr": _ROWS,
    **dict.fromkeys(("tbody", "thead", "tfoot"), _SECTIONS),
    "option": ("option",),
}
# Which open elements an end tag closes together with its own. Of the others a parser may
# not have opened any, or leave them open.
_CLOSED_BY_END = {
    **dict.fromkeys(_INLINE, _INLINE),
    **dict.fromkeys(_BLOCKS | {"li", "dd", "dt"}, _INLINE | {"p"}),
    **dict.fromkeys(("ul", "ol", "menu", "dir"), _INLINE | {"p", "li"}),
    "dl": _INLINE | {"p", "dd", "dt"},
    **dict.fromkeys(("td", "th"), frozenset({"p"})),
    "tr": frozenset(_CELLS),
    **dict.fromkeys(("tbody", "thead", "tfoot"), frozenset(_ROWS)),
    "table": _INLINE | {*_SECTIONS, "caption", "colgroup"},
}
# A formatting end tag that comes too late copies what is open as often as this.
_ADOPTIONS = 8


class MarkupError(ValueError):
    """The HTML would cost too much to parse; the message continues "must not"."""


def without_tags(markup: str) -> str:
    """Return HTML without tags, comments, scripts and styles; its entities stay."""
    return _TOKEN.sub(lambda token: token["text"] or "", _prepared(markup))


def checked(markup: str) -> str:
    """Return HTML that a parser reads in a time proportional to its length.

    Left out is what has no place in a text and is read by rules of its own: comments,
    scripts, styles, and the tags of drawings and formulas. Raises ``MarkupError``.
    """
    prepared = _prepared(markup)
    if prepared.count("<") > MAX_TAGS:
        raise MarkupError(f"have more than {MAX_TAGS} tags")
    return _TOKEN.sub(_Scan(len(prepared)).token, prepared)


def _prepared(markup: str) -> str:
    """Escape what is no tag, and leave drawings, formulas and templates out."""
    ends = list(_FOREIGN_END.finditer(markup))
    if ends:  # only as far as there are ends, so that no search is in vain
        last = ends[-1].end()
        markup = _FOREIGN.sub("", markup[:last]) + markup[last:]
    return _STRAY.sub("&lt;", markup)


class _Scan:
    """One reading of all tags: which elements are open at most.

    An element counts as closed only where every parser closes it, so that the tree is
    never deeper than the count.
    """

    def __init__(self, length: int) -> None:
        self._open: list[str] = []
        self._formatting: list[int] = []
        """The lengths of the open tags that a parser would copy, each at its depth."""
        self._copies = COPIES * length + COPIES_OF_SHORT_TEXTS

    def token(self, token: re.Match[str]) -> str:
        """Return what stays of a token. Raises ``MarkupError``."""
        if token["text"]:
            return entities.escape(token["text"], quote=False)
        if not token["name"]:
            return ""
        name = token["name"].lower()
        if name in {"svg", "math", "plaintext"}:
            return ""
        if token["slash"]:
            self._end(name)
        else:
            self._start(name, token["rest"])
        if name not in _INLINE:
            self._copy(1)
        return token[0]

    def _copy(self, times: int) -> None:
        """Count what a parser may copy here. Raises ``MarkupError``."""
        self._copies -= times * sum(self._formatting)
        if self._copies < 0:
            raise MarkupError("leave formatting open over so many blocks")

    def _start(self, name: str, rest: str) -> None:
        if (
            len(rest) > 2 * MAX_ATTRIBUTES
            and len(_ATTRIBUTES.findall(rest)) > MAX_ATTRIBUTES
        ):
            raise MarkupError(f"have a tag with more than {MAX_ATTRIBUTES} attributes")
        for closed in _CLOSED_BY_START.get(name, ()):
            if self._open and self._open[-1] == closed:
                self._close(-1)
        if name in _VOID:
            return
        if name in {"a", "nobr"} and name in self._open:
            self._copy(_ADOPTIONS)
        self._open.append(name)
        self._formatting.append(len(name) + len(rest) if name in _FORMATTING else 0)
        if len(self._open) > MAX_DEPTH:
            raise MarkupError(f"nest more than {MAX_DEPTH} elements")

    def _end(self, name: str) -> None:
        """Close the innermost element of the name, if nothing stands in the way."""
        if self._open and self._open[-1] == name:
            self._close(-1)
            return
        if name in _FORMATTING:
            self._copy(_ADOPTIONS)
        passable = _CLOSED_BY_END.get(name, frozenset())
        depth = len(self._open) - 1
        while depth >= 0 and self._open[depth] != name:
            if self._open[depth] not in passable:
                return
            depth -= 1
        if depth < 0:
            return
        if name not in _INLINE:
            # Formatting is not closed by a block around it: it goes on in the next one.
            for above in range(len(self._open) - 1, depth, -1):
                if self._open[above] not in _FORMATTING:
                    self._close(above)
        self._close(depth)

    def _close(self, depth: int) -> None:
        del self._open[depth], self._formatting[depth]
