"""Costs: the observed table as mended, and what holds for any text."""

# ruff: noqa: RUF001 -- ranges are written with an en dash

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_events.parsing import costs
from calendar_events.parsing.costs import Cost, CostError


def parsed(value, currency="USD"):
    cost = costs.parse(value, currency=currency)
    return cost.text, cost.symbol, cost.code, cost.position, cost.values


@pytest.mark.parametrize("nothing", [None, "", "  ", 0, "0", 0.0, [], [None, ""], ["0"]])
def test_nothing_and_zero_are_no_cost(nothing):
    assert costs.parse(nothing, currency="USD") == Cost()


@pytest.mark.parametrize(
    ("given_cost", "text", "symbol", "code", "position", "values"),
    [
        # The observed table, with its bugs mended.
        ("25", "$25", "$", "USD", "prefix", ("25",)),
        (25, "$25", "$", "USD", "prefix", ("25",)),
        (12.5, "$12.5", "$", "USD", "prefix", ("12.5",)),
        ("$10 - $20", "$10 – $20", "$", "USD", "prefix", ("10", "20")),
        ("$0 - $30", "Free – $30", "$", "USD", "prefix", ("0", "30")),
        ("€15", "€15", "€", "EUR", "prefix", ("15",)),
        ("15€", "15€", "€", "EUR", "postfix", ("15",)),
        ("10, 20, 30", "$10 – $30", "$", "USD", "prefix", ("10", "20", "30")),
        ("$1,234.56", "$1,234.56", "$", "USD", "prefix", ("1234.56",)),
        ("1.234,56 €", "1.234,56 €", "€", "EUR", "postfix", ("1234.56",)),
        ("-5", "-$5", "$", "USD", "prefix", ("-5",)),
        (["0$", "20$", "30$"], "Free – 30$", "$", "USD", "postfix", ("0", "20", "30")),
        ("$0", "Free", "$", "USD", "prefix", ("0",)),
        # Codes and other signs.
        ("EUR 15", "EUR 15", "€", "EUR", "prefix", ("15",)),
        ("15 USD", "15 USD", "$", "USD", "postfix", ("15",)),
        ("CHF 20.50", "CHF 20.50", "CHF", "CHF", "prefix", ("20.50",)),
        ("1 234,50 zł", "1 234,50 zł", "zł", "PLN", "postfix", ("1234.50",)),
        ("R$ 20", "R$ 20", "R$", "BRL", "prefix", ("20",)),
        ("US$ 5", "US$ 5", "US$", "USD", "prefix", ("5",)),
        # Ranges and lists.
        ("30 to 10", "$10 – $30", "$", "USD", "prefix", ("10", "30")),
        ("10,20,30", "$10 – $30", "$", "USD", "prefix", ("10", "20", "30")),
        ("10.50,20.75", "$10.50 – $20.75", "$", "USD", "prefix", ("10.50", "20.75")),
        ("10 - 20 €", "10 € – 20 €", "€", "EUR", "postfix", ("10", "20")),
        ("10 €20", "€10 – €20", "€", "EUR", "prefix", ("10", "20")),
        ("€10 €20", "€10 – €20", "€", "EUR", "prefix", ("10", "20")),
        ("10€20€", "10€ – 20€", "€", "EUR", "postfix", ("10", "20")),
        ("€ 25,-", "€ 25", "€", "EUR", "prefix", ("25",)),
        ("$10, $10", "$10", "$", "USD", "prefix", ("10",)),
        (
            [5, "7.5", Decimal("6.10")],
            "$5 – $7.5",
            "$",
            "USD",
            "prefix",
            ("5", "6.1", "7.5"),
        ),
        ("Free – $20", "Free – $20", "$", "USD", "prefix", ("0", "20")),
        # Negative numbers.
        (-3, "-$3", "$", "USD", "prefix", ("-3",)),
        ("$-5", "-$5", "$", "USD", "prefix", ("-5",)),
        ("-10 – -5", "-$10 – -$5", "$", "USD", "prefix", ("-10", "-5")),
        ("-5 €", "-5 €", "€", "EUR", "postfix", ("-5",)),
        # Separators.
        ("1'234.50", "$1'234.50", "$", "USD", "prefix", ("1234.50",)),
        ("1,234,567", "$1,234,567", "$", "USD", "prefix", ("1234567",)),
        ("1.234", "$1.234", "$", "USD", "prefix", ("1234",)),
        ("0.125", "$0.125", "$", "USD", "prefix", ("0.125",)),
        (1.234, "$1.2340", "$", "USD", "prefix", ("1.2340",)),
        (25.0, "$25", "$", "USD", "prefix", ("25",)),
        ("€9 or $10", "€9 or $10", "€", "EUR", "prefix", ("9", "10")),
        ("<b>$5</b>", "$5", "$", "USD", "prefix", ("5",)),
    ],
)
def test_a_cost_is_read(given_cost, text, symbol, code, position, values):
    assert parsed(given_cost) == (text, symbol, code, position, values)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("free", ("free",)),
        ("Free", ("free",)),
        ("donation", ("donation",)),
        ("Pay what you can", ("pay what you can",)),
        (["free", "donation"], ("free", "donation")),
        ("$", ("$",)),
    ],
)
def test_words_are_kept_and_have_no_currency(words, values):
    text = words if isinstance(words, str) else ", ".join(words)

    assert parsed(words) == (text, "", "", "", values)


@pytest.mark.parametrize(
    "prose",
    [
        "Ages 5 to 9: $10",
        "£5+",
        "Door 8, advance 6!",
        "$10 at the door",
        "10 or donation",
        "from $5",
        "5%",
        "2 for $15",
    ],
)
def test_prose_is_kept_as_text_without_details(prose):
    assert parsed(prose) == (prose, "", "", "", ())


@pytest.mark.parametrize(
    ("currency", "text", "code_of_dollar"),
    [
        ("USD", "$25", "USD"),
        ("EUR", "€25", "USD"),
        ("CAD", "$25", "CAD"),
        ("CHF", "CHF 25", "USD"),
        ("NOK", "kr 25", "USD"),
        ("JPY", "¥25", "USD"),
        ("XAF", "FCFA 25", "USD"),  # of several countries, so at home in none
    ],
)
def test_the_currency_of_the_site_decides_what_is_not_said(currency, text, code_of_dollar):
    plain = costs.parse(25, currency=currency)
    dollars = costs.parse("$5", currency=currency)

    assert (plain.text, plain.code, dollars.code) == (text, currency, code_of_dollar)


def test_a_sign_of_several_countries_is_that_of_the_site():
    assert costs.parse("100 kr", currency="NOK").code == "NOK"
    assert costs.parse("100 kr", currency="USD").code == "SEK"


@pytest.mark.parametrize(
    "value",
    [
        True,
        {"a": 1},
        [["5"]],
        float("nan"),
        float("inf"),
        10**300,
        "x" * 256,
        "9" * 255,
        b"5",
    ],
)
def test_what_is_no_cost_is_refused(value):
    with pytest.raises(CostError):
        costs.parse(value, currency="USD")


def test_the_source_of_a_list_keeps_what_its_range_does_not_show():
    source = costs.source(["0$", "20$", "30$"])

    assert source == "0$, 20$, 30$"
    assert costs.parse(source, currency="USD").values == ("0", "20", "30")


def test_every_known_sign_names_a_currency_of_cldr():
    assert {len(code) for code in costs.currencies().values()} == {3}
    assert costs.currencies()["$"] == "USD"
    assert "XXX" not in costs.currencies().values()


SIGNS = st.sampled_from(
    ["$", "€", "£", "EUR", "zł", "kr", "CHF ", " €", "-", "–", ",", ".", " "]
)
PIECES = st.one_of(
    SIGNS, st.integers(0, 99_999).map(str), st.sampled_from(["free", " to ", "a"])
)
COST_TEXTS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=9).map("".join))


@given(COST_TEXTS)
@example("- 5")
@example("1,234,56")
@example("1.2.3")
@example("10--5")
@example("-0")
def test_the_text_of_any_cost_reads_as_itself(text):
    cost = costs.parse(text, currency="USD")

    assert costs.parse(cost.text, currency="USD").text == cost.text


@given(COST_TEXTS)
def test_numbers_of_any_cost_ascend_without_separators(text):
    cost = costs.parse(text, currency="EUR")

    if cost.code:
        numbers = [Decimal(value) for value in cost.values]
        assert numbers == sorted(set(numbers))
        assert cost.position in {"prefix", "postfix"}
    else:
        assert cost.values == () or not any(char in "0123456789" for char in cost.text)


@given(st.decimals(min_value=1, max_value=10**7, places=2), st.booleans())
def test_an_amount_reads_the_same_with_either_kind_of_separators(number, is_european):
    american = f"{number:,.2f}"
    swapped = american.translate(str.maketrans(",.", ".,"))

    cost = costs.parse(f"€{swapped if is_european else american}", currency="USD")

    assert cost.values == (f"{number:.2f}",)
