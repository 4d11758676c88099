"""What a terminal sees while methods run, and tables and JSON told back."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from frankwolfe import Status
from frankwolfe.cli import live as boards
from frankwolfe.cli import screen as screens
from frankwolfe.cli.live import HEADER, Board, Live
from frankwolfe.cli.screen import UPDATE_SECONDS, Screen, plain, print_json, print_table, short

CLEAR = "\r\x1b[K"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """Time that goes on when it is told to."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    for module in (boards, screens):
        monkeypatch.setattr(module, "time", found)
    return found


def a_terminal(monkeypatch):
    """In a test itself: between fixtures and it, streams are captured anew."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: SimpleNamespace(columns=60))
    return found


def lines(terminal):
    """What was written, line over line; the last one is what stays."""
    return terminal.getvalue().split(CLEAR)[1:]


def run_at(k):
    state = SimpleNamespace(k=k, value=1.0 / k, gap=2.0 / k, seconds=0.01 * k)
    return SimpleNamespace(state=state, traffic=None)


def result(success, nit=7):
    return SimpleNamespace(success=success, nit=nit, fun=0.125, gap=1e-7, seconds=0.5)


def test_lines_are_shown_and_cleared(clock, monkeypatch):
    terminal = a_terminal(monkeypatch)
    with Screen() as screen:
        screen.say("one")
        screen.hint(lambda: "too soon")
        clock.now += UPDATE_SECONDS
        screen.hint(lambda: "two")
        clock.now += 0.5 * UPDATE_SECONDS
        screen.hint(lambda: "too soon again")
        screen.say("x" * 100)
    assert lines(terminal) == ["one", "two", "x" * 59, ""]


def test_a_file_is_read_in_shares(clock, monkeypatch):
    terminal = a_terminal(monkeypatch)
    with Screen() as screen:
        show = screen.reading("a.csv")
        for done in (1_000_000, 2_000_000, 4_000_000):
            clock.now += UPDATE_SECONDS
            show(done, 4_000_000)
        clock.now += UPDATE_SECONDS
        show(0, 0)
    first, *shown, _ = lines(terminal)
    assert first == "reading a.csv"
    assert [line.split()[2] for line in shown] == ["25%", "50%", "100%", "100%"]
    assert all("of 4.0 MB" in line for line in shown[:3])


@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_only_a_terminal_that_wants_to_sees_anything(kind, quiet, monkeypatch):
    stream = kind()
    monkeypatch.setattr(sys, "stderr", stream)
    with Screen(quiet) as screen:
        screen.say("word")
        screen.hint(lambda: "word")
        screen.reading("a")(1, 2)
    with Board(["fw"], quiet=quiet) as board:
        board.begin("fw")
        board.finish("fw", result(True))
    assert bool(stream.getvalue()) == (kind is Terminal and not quiet)


def test_without_rich_each_change_is_a_line(clock, monkeypatch):
    terminal = a_terminal(monkeypatch)
    monkeypatch.setitem(sys.modules, "rich.live", None)
    with Board(["fw", "afw", "odd"]) as board:
        assert board.rows == dict.fromkeys(["fw", "afw", "odd"], ("waits",))
        board.begin("fw")
        shown = board.callback("fw")
        shown.on_step(run_at(1))  # a moment after "gets ready"
        clock.now += UPDATE_SECONDS
        shown.on_step(run_at(2))
        clock.now += 0.9 * UPDATE_SECONDS
        shown.on_step(run_at(3))
        clock.now += 0.2 * UPDATE_SECONDS
        shown.on_step(run_at(4))
        board.finish("fw", result(True))
        board.finish("afw", result(False, 9))
        board.leave("odd")
        assert shown.next_step(5) == math.inf
    assert lines(terminal) == [
        "fw  gets ready",
        "fw  runs  2  0.5  1  0.02",
        "fw  runs  4  0.25  0.5  0.04",
        "fw  done  7  0.125  1e-07  0.5",
        "afw  stopped  9  0.125  1e-07  0.5",
        "odd  left out",
        "",
    ]
    assert list(board.rows) == ["fw", "afw", "odd"]


def test_with_rich_all_rows_are_a_table(clock, monkeypatch):
    terminal = a_terminal(monkeypatch)
    pytest.importorskip("rich", reason="rich is not installed")
    from rich.console import Console

    with Board(["fw", "afw"]) as board:
        live = board._live
        assert live is not None
        board.begin("fw")
        clock.now += UPDATE_SECONDS
        board.see("fw", run_at(2))
        board.finish("afw", result(True))
        assert live.is_started
        page = io.StringIO()
        Console(file=page, width=100).print(board._table())
        assert not live.auto_refresh
    assert not live.is_started
    rows = [
        [cell.strip() for cell in line.replace("┃", "│").split("│")[1:-1]]
        for line in page.getvalue().splitlines()
        if line[0] in "│┃"
    ]
    assert rows == [
        list(HEADER),
        ["fw", "runs", "2", "0.5", "1", "0.02"],
        ["afw", "done", "7", "0.125", "1e-07", "0.5"],
    ]
    # numbers stand to the right, names to the left
    widths = {column.header: column.justify for column in board._table().columns}
    assert widths == {name: "left" if name in ("method", "state") else "right" for name in HEADER}
    assert "runs" in terminal.getvalue()
    assert "gets ready" in terminal.getvalue()


def test_a_run_is_shown_with_its_figures(clock, monkeypatch):
    terminal = a_terminal(monkeypatch)
    with Screen() as screen:
        kept, many = Live(screen, "fit", keep=True), Live(screen, "path", keep=False)
        kept.on_step(run_at(2000))
        for _ in range(3):
            with many:
                clock.now += UPDATE_SECONDS
                many.on_step(run_at(4))
        clock.now += UPDATE_SECONDS
        away = run_at(4)
        away.traffic = "3 rounds"
        kept.on_step(away)
        assert kept.next_step(3) == many.next_step(3) == math.inf
    assert lines(terminal) == [
        "fit  iteration 2,000  gap 1.00e-03  20.0 s",
        *(f"path  run {k}  iteration 4  gap 5.00e-01  0.0 s" for k in (1, 2, 3)),
        "fit  iteration 4  gap 5.00e-01  0.0 s  3 rounds",
        "",
    ]


@pytest.mark.parametrize("keep", [True, False])
def test_ctrl_c_ends_all_runs_but_one_that_is_kept(keep):
    live = Live(Screen(True), "fit", keep=keep)
    done = SimpleNamespace(status=Status.CONVERGED)
    live.on_end(done)
    assert (live.result, live.interrupted) == (done, False)
    broken = SimpleNamespace(status=Status.INTERRUPTED)
    if keep:
        live.on_end(broken)
    else:
        with pytest.raises(KeyboardInterrupt):
            live.on_end(broken)
    assert live.interrupted
    assert live.result is broken
    live2 = Live(Screen(True), "fit", keep=keep)
    assert (live2.runs, live2.interrupted, live2.result) == (0, False, None)


ROWS = [["a", 1.5, None], ["longer name", float("nan"), 123456.789], ["c", 7, "x y"]]


@pytest.mark.parametrize("rich", [True, False])
def test_tables_can_be_read_back(rich, monkeypatch):
    header, told = ("name", "value", "more"), Terminal() if rich else io.StringIO()
    if rich:
        pytest.importorskip("rich", reason="rich is not installed")
    monkeypatch.setattr(sys, "stdout", told)
    print_table(header, ROWS, title="Race")
    text = re.sub(r"\x1b\[[\d;]*m", "", told.getvalue())
    wanted = [list(header), *([short(cell) for cell in row] for row in ROWS)]
    assert ("Race" in text) == rich
    if rich:
        cells = [line.replace("┃", "│").split("│")[1:-1] for line in text.splitlines()]
        cells = [row for row in cells if row]
    else:
        starts = [text.index(name) for name in header]
        between = list(zip(starts, [*starts[1:], None], strict=True))
        cells = [[line[a:b] for a, b in between] for line in text.splitlines()]
        assert all(line == line.rstrip() for line in text.splitlines())
    assert [[cell.strip() for cell in row] for row in cells] == wanted


def test_tables_on_a_terminal_without_rich_are_plain(monkeypatch):
    told = Terminal()
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(sys, "stdout", told)
    print_table(("a", "b"), [["x", 1]])
    assert told.getvalue() == "a  b\nx  1\n"


def test_json_can_be_read_back(capsys):
    value = {
        "é": np.float64(0.1), 3: [np.int64(2), (np.nan, np.inf, -np.inf)],
        "array": np.array([[1.0, np.nan]]), "none": None, "yes": True,
        "nested": {"x": np.arange(2)},
    }  # fmt: skip
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == {
        "é": 0.1, "3": [2, [None, None, None]], "array": [[1.0, None]], "none": None, "yes": True,
        "nested": {"x": [0, 1]},
    }  # fmt: skip
    assert "é" in out
    assert out.count("\n") > 5
    assert plain(np.bool_(True)) is True
    for number in (0.0, 1e-300, 123456.5, 2.0**60):
        assert float(short(number)) == pytest.approx(number, rel=1e-5)
    assert (short(None), short(math.nan), short(12), short("w")) == ("-", "-", "12", "w")
