"""Why a goal is missed, by its subject; shown only while it is."""

from __future__ import annotations

from typing import Final

REMARKS: Final[dict[str, str]] = {
    "GET /events, 10 per page": (
        "the floor has no middleware, routing, negotiation or entity tag; on a page of ten "
        "these weigh as much as rendering saves. On a page of fifty they do not."
    ),
    "304 on an unchanged single": (
        "the statement that tells that nothing changed is most of what a 200 asks; over "
        "half of a 304 is server and framework, which the 200 pays as well."
    ),
    "signed list": (
        "the nonce is a row that is committed to the disk, with its share of the "
        "write-ahead log; two statements are the floor for key and nonce."
    ),
    "search, the worst, all time": (
        "an exact total looks at every match, and a stop word over all time matches "
        "every event: each of a million texts is read, by as many processes as there are "
        "processors. That takes as long as the memory needs to give them; without huge "
        "pages some fifth longer (docs/operations.md)."
    ),
    "search, the worst, default window": (
        "an exact total looks at every match; a stop word matches every event ahead, and "
        "their texts lie all over the table."
    ),
    "create an event, 100k": (
        "some eight validated fields, five references, slug, history, links and the answer "
        "as its caller would GET it."
    ),
    "create an event, 1M": "as at 100k; it does not grow.",
    "search, one word, 5 % match": (
        "the words are in the index, but an exact total looks at every match, one page "
        "of the table for each."
    ),
    "memory, growth": (
        "what requests leave waits for the next full garbage collection: the size rises "
        "and falls by a tenth; no number of objects grows for good."
    ),
    "search, nothing matches": (
        "the index answers at once; the rest is what any request through the server costs."
    ),
}
