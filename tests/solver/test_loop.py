"""The loop: results, interruption, callbacks."""

from __future__ import annotations

import io
import os
import signal
import threading

import numpy as np
import pytest

import frankwolfe as fw


@pytest.fixture
def f(rng):
    return fw.SquaredError(rng.standard_normal((30, 5)), 3 * rng.standard_normal(30))


def test_result_has_scipys_names_and_counts(f):
    result = fw.minimize(f, fw.L2Ball(0.4), method="frank_wolfe", max_iter=25, tol=0.0)
    assert result.nit == 25
    assert result.njev == 26
    assert result.nlmo == 26
    assert result.nfev == 26
    assert result["x"] is result.x
    assert result.fun == pytest.approx(f(result.x))
    assert result.seconds > 0
    with pytest.raises(KeyError):
        result["nothing"]
    with pytest.raises(KeyError):
        result.history["nothing"]
    assert dict(result)["nit"] == 25
    assert "gap" in result
    assert result == result  # noqa: PLR0124
    assert len({result, result}) == 1
    text = repr(result)
    for words in ("success", "certified gap", "25 iterations", "5 variables"):
        assert words in text


def test_history_has_one_row_a_step(f):
    result = fw.minimize(f, fw.L2Ball(0.4), method="afw", max_iter=100, tol=0.0)
    history = result.history
    assert len(history) == 101
    np.testing.assert_array_equal(history.iteration, np.arange(101))
    assert set(history.arrays()) == set(history) == set(history.columns)
    assert (np.diff(history["lower_bound"]) >= 0).all()
    assert (np.diff(history["seconds"]) >= 0).all()
    assert (history["gap"] >= 0).all()
    frame = pytest.importorskip("pandas") and history.frame()
    assert list(frame.columns) == list(history.columns)
    assert frame["iteration"].dtype == np.int64
    with pytest.raises(AttributeError):
        _ = history.nothing


def test_the_best_point_is_returned_when_the_last_is_not(pima):
    # on (b) with open steps no iterate is better than the start for a thousand steps
    result = fw.minimize(pima, fw.L2Ball(35.0), method="frank_wolfe", max_iter=50)
    np.testing.assert_array_equal(result.x, np.zeros(8))
    assert result.fun == result.history["value"].min() < result.history["value"][-1]
    assert result.gap == pytest.approx(result.fun - result.lower_bound)


class _PressCtrlC(fw.callbacks.Callback):
    """A callback that sends SIGINT after some steps, as a terminal does."""

    def __init__(self, at):
        self.at = at

    def on_step(self, run):
        if run.state.k == self.at:
            os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_returns_the_best_point_so_far(f):
    before = signal.getsignal(signal.SIGINT)
    result = fw.minimize(
        f, fw.L2Ball(0.4), method="jacobi", stop=fw.Gap(0.0), callback=_PressCtrlC(20)
    )
    assert result.status is fw.Status.INTERRUPTED
    assert 20 <= result.nit <= 22
    assert result.fun == result.history["value"].min()
    assert fw.L2Ball(0.4).contains(result.x)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_ends_the_program(f):
    def stubborn(x):
        if stubborn.calls == 3:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        stubborn.calls += 1
        return f(x), f.grad(x)

    stubborn.calls = 0
    with pytest.raises(KeyboardInterrupt):
        fw.minimize(stubborn, fw.L2Ball(0.4), jac=True, x0=np.zeros(5), stop=fw.Gap(0.0))


def test_runs_work_in_other_threads(f):
    results = []
    thread = threading.Thread(target=lambda: results.append(fw.minimize(f, fw.L2Ball(0.4))))
    thread.start()
    thread.join()
    assert results[0].success


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_drawn_on_a_terminal_only(f, capsys):
    screen = _Terminal()
    fw.minimize(f, fw.L2Ball(0.4), callback=fw.Progress(screen, label="my run"))
    assert "my run" in screen.getvalue()
    pipe = io.StringIO()
    fw.minimize(f, fw.L2Ball(0.4), callback=fw.Progress(pipe))
    assert pipe.getvalue() == ""
    assert capsys.readouterr() == ("", "")  # nothing is printed below the command line


def test_a_loop_of_ones_own(f):
    problem = fw.Problem(f, fw.L1Ball(0.5))
    seen = []
    for state in fw.states(problem, fw.jacobi()):
        seen.append((state.k, state.value))
        if state.k == 10:
            break
    solved = fw.solve(problem, fw.jacobi(), fw.Iterations(10))
    np.testing.assert_array_equal([v for _, v in seen], solved.history["value"])
    assert "certified gap" in repr(state)


def test_a_method_of_ones_own_runs_under_the_same_loop(f):
    class Damped:
        name = "damped"

        def __init__(self):
            self.inner = fw.frank_wolfe(fw.steps.Constant(0.05))

        def init(self, problem, x0=None):
            return self.inner.init(problem, x0)

        def advance(self, state):
            self.inner.advance(state)

    result = fw.minimize(f, fw.L2Ball(0.4), method=Damped(), max_iter=12)
    assert result.nit == 12


def test_a_callback_needs_none_of_its_methods_and_a_function_will_do(f):
    seen, around = [], []
    with fw.callbacks.callback_context(lambda run: around.append(run.state.k)):
        result = fw.minimize(
            f, fw.L2Ball(0.4), max_iter=30, callback=[fw.callbacks.Callback(), seen.append]
        )
        fw.minimize(f, fw.L2Ball(0.4), max_iter=1, callback=None)
    assert len(seen) == result.nit + 1
    assert seen[-1].done
    assert around == [*range(result.nit + 1), 0, 1]
