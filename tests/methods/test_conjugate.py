"""Conjugate and biconjugate Frank-Wolfe: the printed formulas, and what they promise."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe import FrankWolfe
from frankwolfe.apps import traffic
from frankwolfe.methods.parts.conjugate import Biconjugate, Conjugate, Targets

N = 12
BOTH = [fw.methods.conjugate_fw, fw.methods.biconjugate_fw]
DELTA = 0.01


def _objective(kind: str, seed: int = 3) -> fw.Objective:
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((40, N)) * np.geomspace(0.3, 3.0, N)
    b = A @ rng.uniform(0.0, 0.3, N) + 0.1 * rng.standard_normal(40)
    return fw.SquaredError(A, b) if kind == "squared" else fw.Logistic(A, np.sign(b))


REGIONS = [fw.Simplex(), fw.L1Ball(2.0), fw.L2Ball(0.8), fw.Box(-1.0, 2.0), fw.KSparse(3)]


def _hessian(f: fw.Objective, x: np.ndarray) -> np.ndarray:
    z = f.new_image()
    f.image(x, z)
    return f.full_hessian(z)


def _conjugate(x, y, s, H):
    e, d = y - x, s - x
    above, below = d @ H @ e, d @ H @ (e - d)
    alpha = above / below if below else 0.0
    alpha = min(max(alpha, 0.0), 1 - DELTA)
    return alpha * s + (1 - alpha) * y


def _biconjugate(x, y, s, before, gamma, H):
    e, d, c = y - x, s - x, gamma * s + (1 - gamma) * before - x
    below = c @ H @ (before - s)  # c'Hc times a positive number, where c and d are conjugate
    mu = max(-(c @ H @ e) / below, 0.0) if below > 0.0 else 0.0
    nu = max(-(d @ H @ e) / (d @ H @ d) + mu * gamma / (1 - gamma), 0.0)
    beta = 1 / (1 + mu + nu)
    if beta < DELTA:
        share = (1 - DELTA) / (mu + nu)
        return DELTA * y + share * (nu * s + mu * before)
    return beta * y + nu * beta * s + mu * beta * before


@pytest.mark.parametrize("kind", ["squared", "logistic"])
@pytest.mark.parametrize("region", REGIONS, ids=repr)
@pytest.mark.parametrize("recipe", BOTH)
def test_targets_are_those_of_the_paper(recipe, region, kind):
    """Each step of the run from its own point, with targets of our own."""
    f = _objective(kind)
    past: list[np.ndarray] = []
    mixed, run = 0, fw.states(fw.Problem(f, region), recipe())
    state = next(run)
    for _ in range(30):
        x, y, gamma = state.x, state.atom.dense(N), state.step
        if state.model_gap < 1e-7:
            break
        if len(past) == 2 and recipe is fw.methods.biconjugate_fw:
            target = _biconjugate(x, y, *past, gamma, _hessian(f, x))
        else:
            target = _conjugate(x, y, past[0], _hessian(f, x)) if past else y
        target = target if f.grad(x) @ (target - x) < 0.0 else y
        state = next(run)
        np.testing.assert_allclose(state.x, x + state.step * (target - x), atol=1e-9)
        plain = state.direction.toward
        mixed += not plain
        past = [target] if plain else [target, *past[:1]]  # a step to the atom begins again
        past = past if state.step < 1.0 else []
    assert mixed >= 1


@dataclass(frozen=True)
class _Noting:
    """What the weights were, in every step that asked for them."""

    noted: list[np.ndarray] = field(default_factory=list)

    def weights(self, curvature, step):
        found = super().weights(curvature, step)
        self.noted.append(found)
        return found


@dataclass(frozen=True)
class _NotingConjugate(_Noting, Conjugate):
    pass


@dataclass(frozen=True)
class _NotingBiconjugate(_Noting, Biconjugate):
    pass


def _uncut(noted: list[np.ndarray]) -> bool:
    """Whether the last weights are those of the formulas."""
    return bool(noted) and noted[-1][0] > DELTA + 1e-12 and bool((noted[-1] > 0.0).all())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("region", REGIONS[:3], ids=repr)
@pytest.mark.parametrize("part", [_NotingConjugate, _NotingBiconjugate])
def test_directions_on_a_quadratic_are_conjugate(part, region, seed):
    f = _objective("squared", seed)
    H = _hessian(f, np.zeros(N))
    direction, checked, linked = part(), 0, False
    method = FrankWolfe(direction=direction, step=fw.steps.ExactLineSearch())
    ways: list[np.ndarray] = []
    run = fw.states(fw.Problem(f, region), method)
    state = next(run)
    for _ in range(40):
        x, asked = state.x, len(direction.noted)
        state = next(run)
        if state.model_gap < 1e-6 or not state.step:  # directions of rounding
            break
        d = (state.x - x) / state.step
        uncut = len(direction.noted) > asked and _uncut(direction.noted)
        several = uncut and direction.noted[-1].size == 3
        linked = uncut and (linked or not several)  # two take it that the last two are conjugate
        for other in ways[: 1 + several] if linked else []:
            assert abs(d @ H @ other) <= 1e-7 * np.sqrt((d @ H @ d) * (other @ H @ other))
            checked += 1
        ways = [d, *ways]
    assert checked >= 1


@pytest.mark.parametrize("kind", ["squared", "logistic"])
@pytest.mark.parametrize("recipe", BOTH)
def test_without_weight_for_the_past_it_is_frank_wolfe(recipe, kind):
    f = _objective(kind)
    for region in REGIONS:
        problem = fw.Problem(f, region)
        plain = fw.states(problem, fw.frank_wolfe(fw.steps.ExactLineSearch()))
        ours = fw.states(problem, recipe(least=1.0))
        for a, b in islice(zip(plain, ours, strict=True), 30):
            np.testing.assert_array_equal(a.x, b.x)


class _Strange(fw.SquaredError):
    """With second derivatives that are no help."""

    bend = np.nan

    def hessian(self, z, left, right):
        return np.full((left.shape[1], right.shape[1]), self.bend)


@pytest.mark.parametrize("bend", [np.nan, np.inf, 0.0])
@pytest.mark.parametrize("recipe", BOTH)
def test_without_curvature_that_is_a_number_it_is_frank_wolfe(recipe, bend):
    true = _objective("squared")
    f = _Strange(true.linear.matrix, true.b)
    f.bend = bend
    for region in REGIONS:
        plain = fw.states(fw.Problem(true, region), fw.frank_wolfe(fw.steps.ExactLineSearch()))
        for a, b in islice(zip(plain, fw.states(fw.Problem(f, region), recipe())), 30):  # noqa: B905
            np.testing.assert_array_equal(a.x, b.x)


@pytest.mark.parametrize(
    "step", [fw.steps.OpenLoop(), fw.steps.ShortStep(), fw.steps.Backtracking()], ids=repr
)
@pytest.mark.parametrize("recipe", BOTH)
def test_with_steps_that_are_no_minimizers_it_falls_and_stays_inside(recipe, step):
    """The slope along the last direction is then not zero, and may point upward."""
    f = _objective("logistic")
    for region in REGIONS:
        best = fw.minimize(f, region, tol=1e-10).fun
        for state in islice(fw.states(fw.Problem(f, region), recipe(step)), 300):
            assert state.direction.slope <= 1e-12
            assert region.violation(state.x) <= 1e-12
            assert state.gap >= state.value - best - 1e-12
        assert state.value - best <= 0.05 * (f(region.start(N)) - best)


def _steps(f, region, method) -> int:
    return fw.minimize(f, region, method=method, tol=1e-5, max_iter=20_000).nit


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("region", [fw.L1Ball(8.0), fw.L2Ball(3.0)], ids=repr)
def test_an_optimum_inside_takes_fewer_steps(region, seed):
    f = _objective("squared", seed)
    plain = _steps(f, region, fw.frank_wolfe(fw.steps.ExactLineSearch()))
    one, two = (_steps(f, region, recipe()) for recipe in BOTH)
    assert one < 0.8 * plain
    assert two < 0.7 * plain


def test_what_it_cannot_use_is_refused_in_one_sentence():
    rng = np.random.default_rng(1)
    cells = np.nonzero(rng.random((5, 6)) < 0.6)
    matrix = fw.Completion((*cells, rng.standard_normal(cells[0].size)), shape=(5, 6))
    plain = fw.Function(lambda x: float(x @ x), lambda x: 2 * x, n=4)
    for recipe, name in zip(BOTH, ("Conjugate", "Biconjugate"), strict=True):
        for f, region, missing in (
            (matrix, fw.NuclearBall(1.0), "matrices"),
            (plain, fw.Simplex(), "second derivatives"),
        ):
            said = recipe().accepts(fw.Problem(f, region))
            assert said.startswith(name)
            assert missing in said
            with pytest.raises(fw.InvalidInput, match=missing):
                fw.minimize(f, region, method=recipe())
    for least in (0.0, 1.5, np.nan):
        with pytest.raises(fw.InvalidInput, match="least must be"):
            fw.methods.conjugate_fw(least=least)


def test_targets_of_another_run_are_not_taken():
    targets = Targets(np.zeros((2, 3)), np.zeros((4, 2)))
    targets.keep(np.ones(3), np.ones(4), 0.5)
    again = Targets(np.zeros((2, 3)), np.zeros((4, 2)))
    again.restore(targets.pack())
    assert (again.known, again.step) == (1, 0.5)
    np.testing.assert_array_equal(again.points, targets.points)
    np.testing.assert_array_equal(again.images, targets.images)
    for wrong in ({"known": 3}, {"step": 1.0}, {"step": np.nan}):
        arrays = {**targets.pack(), **{name: np.asarray(value) for name, value in wrong.items()}}
        with pytest.raises(ValueError, match="targets"):
            again.restore(arrays)


SIOUX_FALLS = 4231335.287  # the published optimum


def test_traffic_takes_far_fewer_steps_to_the_same_flows():
    network, trips = traffic.sioux_falls()
    count = {}
    plain = fw.frank_wolfe(fw.steps.ExactLineSearch())
    for name, method in {"plain": plain, "one": "conjugate_fw", "two": "biconjugate_fw"}.items():
        found = traffic.equilibrium(network, trips, method=method, tol=1e-4, max_iter=5000)
        assert found.success
        assert found.certified
        assert -1e-3 <= found.fun - SIOUX_FALLS <= found.gap
        count[name] = found.nit
    assert count["one"] < count["plain"] / 2
    assert count["two"] < count["plain"] / 4


@pytest.mark.parametrize("recipe", BOTH)
def test_times_that_rise_infinitely_fast_at_first_are_no_trouble(recipe):
    """With a power below 1 an empty link has no second derivative, and most of a target are."""
    network, trips = traffic.sioux_falls()
    table = network.cost.table
    times = traffic.BPR(table[:, 0], table[:, 2], 0.5, 0.3)
    network = traffic.Network(*network.links.T, times)
    found = traffic.equilibrium(network, trips, method=recipe(), tol=1e-5, max_iter=3000)
    best = traffic.equilibrium(network, trips, tol=1e-9)
    assert found.success
    assert abs(found.fun - best.fun) <= found.gap + best.gap
