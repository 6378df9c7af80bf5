"""Long work: on a terminal a bar, elsewhere lines in the log."""

import io
import logging
import signal
import sys
import threading

import pytest

from calendar_events.management import progress


class Terminal(io.StringIO):
    """A terminal's standard error."""

    def isatty(self):
        return True


@pytest.fixture
def lines(caplog, monkeypatch):
    """Return the lines that were logged; there is one for each batch."""
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    caplog.set_level(logging.INFO, logger=progress.logger.name)
    return caplog


def test_a_terminal_shows_a_bar_and_the_log_stays_empty(lines, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with progress.shown("rebuild", unit="records", total=4) as work:
        work.advance(1)
        work.advance(3)

    shown = terminal.getvalue()
    assert "rebuild: 100%" in shown
    assert "4/4" in shown
    assert "records" in shown
    assert lines.messages == []


def test_elsewhere_there_are_lines_in_the_log(lines):
    with progress.shown("rebuild", unit="records", total=4000) as work:
        work.advance(1000)
        work.advance(3000)

    assert lines.messages == [
        "rebuild: 1,000 of 4,000 records",
        "rebuild: 4,000 of 4,000 records",
    ]
    record = lines.records[0]
    assert (record.command, record.done, record.total) == ("rebuild", 1000, 4000)


def test_where_the_total_is_not_known_only_what_was_done_is_said(lines):
    with progress.shown("clear", unit="rows") as work:
        work.advance(7)

    assert lines.messages == ["clear: 7 rows"]


def test_between_two_lines_there_is_a_pause(lines, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 3600)

    with progress.shown("clear", unit="rows") as work:
        work.advance(7)

    assert lines.messages == []


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_it_can_be_silent(lines, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream())

    with progress.shown("clear", unit="rows", verbosity=0) as work:
        work.advance(7)

    assert (sys.stderr.getvalue(), lines.messages) == ("", [])


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_a_signal_ends_the_work_after_the_batch(number, status):
    before = signal.getsignal(number)

    def work_and_be_stopped():
        with progress.shown("rebuild", unit="records", total=4) as work:
            signal.raise_signal(number)
            work.advance(2, going_on="rebuild --after 2 goes on")

    with pytest.raises(progress.Interrupted) as ended:
        work_and_be_stopped()

    assert ended.value.returncode == status
    assert str(ended.value) == (
        f"rebuild was stopped by {number.name} after 2 of 4 records; "
        "rebuild --after 2 goes on."
    )
    assert signal.getsignal(number) == before


def test_the_second_signal_ends_it_at_once():
    def work_and_be_stopped():
        with progress.shown("rebuild", unit="records", total=4):
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)
            raise AssertionError("not reached")

    with pytest.raises(progress.Interrupted) as ended:
        work_and_be_stopped()

    assert str(ended.value) == (
        "rebuild was stopped by SIGTERM after 0 of 4 records; run it again to go on."
    )
    assert ended.value.returncode == 143


def test_in_a_thread_it_works_and_leaves_the_signals_alone():
    done = []

    def work_in_thread():
        before = signal.getsignal(signal.SIGTERM)
        with progress.shown("clear", unit="rows") as work:
            work.advance(7)
            done.append((work.done, signal.getsignal(signal.SIGTERM) == before))

    thread = threading.Thread(target=work_in_thread)
    thread.start()
    thread.join()

    assert done == [(7, True)]
