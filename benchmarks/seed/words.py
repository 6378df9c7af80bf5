"""Text with known odds: what the searches of the benchmark find, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.seed.constants import (
    ABSENT,
    COMMON,
    COMMON_SHARE,
    RARE,
    RARE_SHARE,
    STOP_WORD,
)
from calendar_events.parsing import text

if TYPE_CHECKING:
    from random import Random

PARAGRAPHS: Final = 3_000
PARAGRAPHS_PER_EVENT: Final = 3

ENGLISH: Final = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split()
ONSETS: Final = "bcdfghjklmnprstvw"
VOWELS: Final = "aeiou"
CODAS: Final = "lmnrstx"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph as it is stored, and as search sees it."""

    html: str
    folded: str


def vocabulary(random: Random, size: int = 3_000) -> list[str]:
    """Return real words first, then names made of syllables."""
    words = list(dict.fromkeys(ENGLISH))
    reserved = {STOP_WORD, COMMON, RARE, ABSENT}
    known = set(words) | reserved
    while len(words) < size:
        syllables = (
            random.choice(ONSETS) + random.choice(VOWELS)
            for _ in range(random.randint(2, 3))
        )
        word = "".join(syllables) + random.choice(CODAS)
        if word not in known:
            known.add(word)
            words.append(word)
    return words


class Prose:
    """Sentences of a vocabulary in which few words are frequent and many are rare."""

    def __init__(self, random: Random) -> None:
        """Draw the vocabulary and write the pool of paragraphs."""
        self._random = random
        self._words = vocabulary(random)
        # Zipf's law, softened: the tenth word is a quarter as frequent as the first.
        weights = [1 / (rank + 2) ** 0.8 for rank in range(len(self._words))]
        self._cumulative = list(accumulate(weights))
        self._pool = [self._paragraph() for _ in range(PARAGRAPHS)]

    def words(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._cumulative, k=count)

    def title(self) -> str:
        """Return a title of three to seven words."""
        words = self.words(self._random.randint(3, 7))
        return " ".join(word[:1].upper() + word[1:] for word in words)

    def sentence(self, count: int) -> str:
        words = " ".join(self.words(count))
        return f"{words[:1].upper()}{words[1:]}."

    def _paragraph(self) -> Paragraph:
        random = self._random
        sentences = [self.sentence(random.randint(5, 11)) for _ in range(4)]
        sentences[0] = f"The quick {sentences[0]}"
        sentences[1] = f"<strong>{sentences[1]}</strong>"
        markup = text.html(f"<p>{' '.join(sentences)}</p>")
        return Paragraph(html=markup, folded=text.fold(text.strip_html(markup)))

    def description(self) -> tuple[str, str]:
        """Return a description as it is stored, and as search sees it."""
        random = self._random
        parts = random.choices(self._pool, k=PARAGRAPHS_PER_EVENT)
        html = [part.html for part in parts]
        folded = [part.folded for part in parts]
        for word, share in ((COMMON, COMMON_SHARE), (RARE, RARE_SHARE)):
            if random.random() < share:
                html.append(f"<p>Bring a {word}.</p>")
                folded.append(f"bring a {word}.")
        return "\n".join(html), " ".join(folded)
