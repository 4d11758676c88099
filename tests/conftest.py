"""What several tests share: examples from the registries, and points of a region.

Each worker, and each process that a test starts, has one thread, whatever the machine has: as many
workers as cores, each with as many threads, would stand in each other's way. It is set before
anybody loads NumPy. A test that needs more threads starts a process with `in_threads`.
"""

from __future__ import annotations

import os

THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    *("NUMBA_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"),
)
for name in THREADS:
    os.environ.setdefault(name, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import importlib.util
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from compiled_once import compile_once
from hypothesis import HealthCheck, settings

import frankwolfe as fw
from frankwolfe.methods import METHODS
from frankwolfe.methods.blocks import BlockCoordinate
from frankwolfe.methods.sampled import Minibatch
from frankwolfe.methods.steps import STEPS
from frankwolfe.objectives import DOMAIN_OBJECTIVES, OBJECTIVES
from frankwolfe.regions import REGIONS

pytest.register_assert_rewrite("laws")
collect_ignore = ["typed_user.py", "typed_wrong.py"]  # for mypy alone
# the same examples everywhere, however slow the machine is
settings.register_profile(
    "everywhere", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("everywhere")

N = 6  # variables in the examples, where the region leaves that open


def in_threads(count: int, code: str, *arguments: str) -> str:
    """What a program prints that has this many threads."""
    threads = dict.fromkeys(THREADS, str(count))
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **threads}
    )
    return done.stdout


def size(region: fw.Region) -> int:
    """Variables of an example."""
    return N if region.dimension is None else region.dimension


OVER_PLANS = ("gromov.py", "regularized_transport.py")  # their examples are of Transport


def is_installed(package: str) -> bool:
    """Whether a package is there; the folder tests/sklearn, without code of its own, is none."""
    found = importlib.util.find_spec(package)
    return found is not None and found.origin is not None


def installed(kind: type[fw.Region]) -> bool:
    """Whether what the region needs besides is there: an extra may be missing."""
    return not kind.package or is_installed(kind.package)


ROOT = Path(__file__).resolve().parents[1]
NEEDS = {
    ROOT / "src/frankwolfe/sklearn": "sklearn",
    ROOT / "src/frankwolfe/apps/completion/cell_estimator.py": "sklearn",
    ROOT / "src/frankwolfe/apps/completion/completion.py": "sklearn",
    ROOT / "tests/attack/constraint_shapes.py": "cvxpy",
    ROOT / "tests/attack/constraints.py": "cvxpy",
    ROOT / "tests/attack/round_regions.py": "cvxpy",
}
"""What cannot be imported without a package of an extra, and is no module of tests that says so."""


OF_EXTRAS = (
    *("sklearn", "pandas", "polars", "pyarrow", "pooch", "matplotlib", "rich", "shtab", "dask"),
    *("distributed", "cvxpy", "clarabel", "highspy", "ot", "networkx", "rustworkx", "sphinx"),
)
"""Packages that the extra `test` brings: where all are there, nothing below happens."""


def _absent(error: BaseException | None) -> str | None:
    """The package of an extra for want of which something ended with this error."""
    while error is not None:
        inner = getattr(error, "failures", None)  # of a doctest
        if inner:
            error = inner[0]
        if hasattr(error, "exc_info"):
            error = error.exc_info[1]
        name = (error.name or "").partition(".")[0] if isinstance(error, ImportError) else ""
        name = {"scikit-learn": "sklearn", "POT": "ot"}.get(name, name)
        if name in OF_EXTRAS and not is_installed(name):
            return name
        error = error.__cause__ or error.__context__
    return None


class _Extras:
    """A plugin, so that it sees src too: leaves out what needs a package that is not there."""

    @staticmethod
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        absent = _absent(call.excinfo.value) if report.failed and call.excinfo else None
        if absent:
            path, line, _ = item.location
            report.outcome = "skipped"
            report.longrepr = (path, line or 0, f"Skipped: {absent} is not installed")
        return report

    @staticmethod
    def pytest_ignore_collect(collection_path: Path) -> bool | None:
        package = NEEDS.get(collection_path)
        return True if package and not is_installed(package) else None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Extras())
    compile_once()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Examples in docstrings of what needs a package that is not there are left out."""
    absent = [kind for kind in REGIONS.values() if not installed(kind)]
    files = {Path(sys.modules[kind.__module__].__file__ or ""): kind.package for kind in absent}
    for item in items:
        package = files.get(item.path)
        if item.path.name in OVER_PLANS and not installed(fw.Transport):
            package = fw.Transport.package
        if package and isinstance(item, pytest.DoctestItem):
            item.add_marker(pytest.mark.skip(reason=f"{package} is not installed"))


def region_examples(kinds: Iterable[type[fw.Region]] = REGIONS.values()) -> list[fw.Region]:
    return [
        region
        for cls in kinds
        if installed(cls)
        for region in cls.examples(N, np.random.default_rng(1))
        if type(region) is cls
    ]


FLAGS = (
    *("polytope", "strongly_convex", "strictly_convex", "flat_faces", "sparse_atoms"),
    *("many_vertices", "trust_region"),
)
OBJECTS = (
    *("projection", "restriction", "faces", "formulation", "exact_bound"),
    *("quadratics", "scores", "entry_bounds", "thin_faces"),
)
OWN = ("decompose", "several", "compiled", "inexact_lmo")  # of which every region has some


def abilities(region: fw.Region) -> tuple[object, ...]:
    """All that a method can see of a region: what it says of itself, can do and returns."""
    atom = region.lmo(np.random.default_rng(0).standard_normal(size(region)))
    own = (getattr(type(region), name) is not getattr(fw.Region, name) for name in OWN)
    flags = (getattr(region, name) for name in FLAGS)
    has = (getattr(region, name) is not None for name in OBJECTS)
    return (*flags, *own, *has, region.exact_oracle, type(atom), bool(region.blocks))


@cache
def told_apart() -> list[fw.Region]:
    """Examples for laws of methods: every pair of abilities that occurs, and each kind of faces.

    A method asks a region what it can do and never for its class. All regions are under the laws
    of regions, and the default method is run over each.
    """
    kept: list[fw.Region] = []
    seen: set[object] = set()
    for region in region_examples():
        if region.exactness > 1e-12:  # what a solver's tolerance leaves is not the method's doing
            continue
        pairs = set(combinations(enumerate(abilities(region)), 2))
        faces = region.faces is not None and type(region) not in {type(other) for other in kept}
        if faces or not pairs <= seen:
            kept.append(region)
            seen |= pairs
    return kept


BASIC = (
    *(fw.L1Ball, fw.L2Ball, fw.LInfBall, fw.LpBall, fw.Simplex, fw.UnitSimplex, fw.Box),
    *(fw.GroupBall, fw.KSparse, fw.Hypersimplex, fw.regions.UnitHypersimplex, fw.Birkhoff),
    *(fw.ConvexHull, fw.Product, fw.regions.OracleRegion),
)
"""Regions over which every method meets every objective; over the others these take turns."""
PLACES = {kind: place for place, kind in enumerate(REGIONS.values())}


def in_turn(region: fw.Region, turn: int, of: int = 3) -> bool:
    """Whether the objective, or method, with that number is run over this region: one of three."""
    kind = type(region)
    return kind in BASIC or kind.matrix or (PLACES[kind] + turn) % of == 0


def basic_examples() -> list[fw.Region]:
    """Of the examples that methods tell apart, those of basic kinds."""
    return [region for region in told_apart() if type(region) in BASIC]


@cache
def objective_examples(n: int = N) -> list[fw.Objective]:
    return [cls.example(n, np.random.default_rng(2)) for cls in OBJECTIVES.values()]


@cache
def domain_examples(n: int = N) -> list[fw.Objective]:
    return [cls.example(n, np.random.default_rng(2)) for cls in DOMAIN_OBJECTIVES.values()]


def method_examples() -> dict[str, fw.methods.Method]:
    named = {name: recipe() for name, recipe in METHODS.items()}
    lazy = {
        f"lazy {name}": fw.methods.lazy(named[name]) for name in ("frank_wolfe", "blended_pairwise")
    }
    with_steps = {f"FW+{name}": fw.frank_wolfe(step()) for name, step in STEPS.items()}
    return {**named, **lazy, **with_steps}


def refused(method: fw.methods.Method, problem: fw.Problem) -> bool:
    """Whether the method refuses the problem; if so, that it refuses well is checked here."""
    reason = method.accepts(problem)
    if reason is not None:
        check_refusal(method, problem, reason)
    return reason is not None


def skip_if_refused(method: fw.methods.Method, problem: fw.Problem) -> None:
    """Skip a test where the method refuses the problem, once the refusal itself is checked."""
    if refused(method, problem):
        pytest.skip("the method refuses the problem, in a sentence that says what to use")


def nightly(*values: object, unless: bool = False) -> object:
    """A case for `make test-all` alone, where `make test` has the law in others."""
    return pytest.param(*values, marks=() if unless else pytest.mark.long)


def length(method: fw.methods.Method, steps: int) -> int:
    """How many steps to run: fewer where one is a block of many, or leaves nothing to do."""
    if getattr(method, "patience", 0):
        return min(60, steps)
    if isinstance(getattr(method, "step", None), fw.steps.GoldenRatio):
        return steps // 5  # forty values a step
    return steps // 10 if isinstance(method, Minibatch | BlockCoordinate) else steps


def check_refusal(method: fw.methods.Method, problem: fw.Problem, reason: str) -> None:
    """`init` raises the sentence that `accepts` gives, and that says what to use or pass."""
    with pytest.raises(fw.InvalidInput) as caught:
        method.init(problem)
    assert str(caught.value) == reason
    assert re.search(r"\b(use|pass)\b.*\w.*\.$", reason), reason


def atoms_of(region: fw.Region, rng: np.random.Generator, count: int) -> np.ndarray:
    """Points the oracle returns, for random gradients, axes and signs."""
    n = size(region)
    axes = np.vstack([np.eye(n), -np.eye(n)])
    signs = np.sign(rng.standard_normal((count, n)))
    gradients = np.vstack([axes, signs, rng.standard_normal((count, n))])
    return np.array([region.lmo(g).dense(n) for g in gradients])


def points_of(region: fw.Region, rng: np.random.Generator, count: int) -> np.ndarray:
    """Random points of the region: mixtures of atoms, from near one atom to the middle."""
    atoms = atoms_of(region, rng, 30)
    concentration = rng.choice([0.02, 0.2, 2.0], size=(count, 1))
    weights = rng.gamma(np.broadcast_to(concentration, (count, len(atoms)))) + 1e-300
    return (weights / weights.sum(axis=1, keepdims=True)) @ atoms


@cache
def best_value(region_index: int, objective_index: int) -> float:
    """The smallest value that some methods find, certified to be within 1e-12 of the optimum.

    The first will do almost everywhere; the others are asked where it will not.
    """
    region = told_apart()[region_index]
    objective = objective_examples(size(region))[objective_index]
    above, below = np.inf, -np.inf
    for method in (None, "afw", "frank_wolfe", fw.frank_wolfe(fw.steps.Backtracking())):
        result = fw.minimize(objective, region, method=method, tol=1e-13, max_iter=3000)
        above, below = min(above, result.fun), max(below, result.lower_bound)
        if above - below <= 1e-12 * max(1.0, abs(above)):
            break
    return above


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c():
    """A shell starts jobs in the background with SIGINT ignored: tests of Ctrl-C would wait."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def breast_cancer() -> fw.Logistic:
    return fw.Logistic(*fw.datasets.breast_cancer().paper())


@pytest.fixture(scope="session")
def pima() -> fw.Huber:
    return fw.Huber(*fw.datasets.pima().paper(), delta=0.5)


def larger_data() -> Path | None:
    """Larger data sets for development, where they are: FRANKWOLFE_DATA, or ../shared/data."""
    here = ROOT.parent / "shared" / "data"
    folder = Path(os.environ.get("FRANKWOLFE_DATA", here))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Larger data sets for development; tests of them are skipped where there are none."""
    folder = larger_data()
    if folder is None:
        pytest.skip("no folder with the larger data sets: set FRANKWOLFE_DATA")
    return folder
