"""Text with known odds: what the searches of the benchmark find, and how often."""

from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.seed.constants import COMMON, COMMON_SHARE, RARE, RARE_SHARE

ENGLISH: Final = Path(__file__).with_name("words.txt").read_text(encoding="utf-8").split()
NAMES: Final = 2_750
PARAGRAPHS: Final = 3


class Prose:
    """Sentences of a vocabulary in which few words are frequent and many are rare."""

    def __init__(self, random: Random) -> None:
        """Put names made of syllables behind the real words."""
        self._random = random
        names = (self._name() for _ in range(NAMES))
        self._words = list(dict.fromkeys([*ENGLISH, *names]))
        # Zipf's law, softened: the tenth word is a quarter as frequent as the first.
        weights = (1 / (rank + 2) ** 0.8 for rank in range(len(self._words)))
        self._cumulative = list(accumulate(weights))

    def _name(self) -> str:
        choice = self._random.choice
        syllables = self._random.randint(2, 3)
        parts = (choice("bcdfghjklmnprstvw") + choice("aeiou") for _ in range(syllables))
        return "".join(parts) + choice("lmnrstx")

    def words(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._cumulative, k=count)

    def title(self) -> str:
        """Return a title of three to seven words."""
        words = self.words(self._random.randint(3, 7))
        return " ".join(word[:1].upper() + word[1:] for word in words)

    def sentence(self, count: int) -> str:
        words = " ".join(self.words(count))
        return f"{words[:1].upper()}{words[1:]}."

    def description(self) -> str:
        """Return a kilobyte of markup."""
        paragraphs = [
            f"<p>The quick {self.sentence(8)} <strong>{self.sentence(8)}</strong> "
            f"{self.sentence(16)}</p>"
            for _ in range(PARAGRAPHS)
        ]
        for word, share in ((COMMON, COMMON_SHARE), (RARE, RARE_SHARE)):
            if self._random.random() < share:
                paragraphs.append(f"<p>Bring a {word}.</p>")
        return "\n".join(paragraphs)
