"""PyTorch and JAX functions give what the library's own objectives give."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import frankwolfe as fw
from frankwolfe.objectives.adapters import from_jax, from_torch

BOTH = ("torch", "jax")


def _data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    A = rng.standard_normal((40, 8))
    return A, np.sign(A @ rng.standard_normal(8) + 0.5 * rng.standard_normal(40))


def _adapted(package: str, A: np.ndarray, b: np.ndarray, **options) -> fw.Function:
    """The logistic loss, by that package."""
    if package == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        At, bt = torch.tensor(A), torch.tensor(b)
        return from_torch(lambda x: torch.log1p(torch.exp(-bt * (At @ x))).mean(), **options)
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
    return from_jax(lambda x: jnp.log1p(jnp.exp(-b * (A @ x))).mean(), **options)


@pytest.mark.parametrize("package", BOTH)
def test_value_and_gradient_are_those_of_the_same_function_here(package, rng):
    A, b = _data(rng)
    f, own = _adapted(package, A, b, n=8), fw.Logistic(A, b)
    for x in rng.standard_normal((5, 8)):
        assert f(x) == pytest.approx(own(x), rel=1e-14)
        np.testing.assert_allclose(f.grad(x), own.grad(x), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("package", BOTH)
@pytest.mark.parametrize("region", [fw.L2Ball(1.0), fw.L1Ball(1.0)], ids=["l2", "l1"])
def test_a_run_ends_at_the_same_minimum_with_a_true_certificate(package, region, rng):
    A, b = _data(rng)
    best = fw.minimize(fw.Logistic(A, b), region, tol=1e-12).fun
    result = fw.minimize(_adapted(package, A, b), region, x0=np.zeros(8), tol=1e-7)
    assert result.success
    assert result.certified
    assert -1e-12 <= result.fun - best <= result.gap <= 1e-7


@pytest.mark.parametrize("package", BOTH)
def test_single_precision_is_kept_and_its_rounding_counts(package, rng):
    A, b = _data(rng)
    seen = []

    def note(f):
        def noted(x):
            seen.append(str(x.dtype).removeprefix("torch."))
            return f(x)

        return noted

    A32, b32 = A.astype(np.float32), b.astype(np.float32)
    f = _adapted(package, A32, b32, dtype="float32")
    f.fun = note(f.fun)
    result = fw.minimize(f, fw.L2Ball(1.0), x0=np.zeros(8), tol=1e-12, max_iter=300)
    best = fw.minimize(fw.Logistic(A, b), fw.L2Ball(1.0), tol=1e-12).fun
    assert result.x.dtype == np.float32
    assert package == "jax" or set(seen) == {"float32"}  # JAX holds its own compiled copy
    assert result.fun - best <= result.gap
    assert result.gap >= 8 * np.finfo(np.float32).eps * result.fun
    assert fw.Logistic(A, b)(result.x.astype(float)) - best <= result.gap


@pytest.mark.parametrize("package", BOTH)
def test_a_function_that_loses_digits_is_told(package):
    make = {"torch": from_torch, "jax": from_jax}[package]
    if package == "torch":
        pytest.importorskip("torch", reason="torch is not installed")
        f = make(lambda x: (x.float() ** 2).sum(), n=2)
    else:
        jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
        f = make(lambda x: (x.astype(jnp.float32) ** 2).sum(), n=2)
    with pytest.raises(fw.InvalidInput, match=r'returned float32: .*pass dtype="float32"\.$'):
        fw.minimize(f, fw.Simplex())


@pytest.mark.parametrize("package", BOTH)
def test_bad_functions_get_one_sentence(package):
    pytest.importorskip(package, reason=f"{package} is not installed")
    make = {"torch": from_torch, "jax": from_jax}[package]
    with pytest.raises(fw.InvalidInput, match="must return one"):
        fw.minimize(make(lambda x: 2 * x, n=3), fw.Simplex())
    with pytest.raises(fw.InvalidInput, match="dtype must be"):
        make(lambda x: x.sum(), dtype="float16")


def test_torch_functions_that_leave_torch_are_told():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(fw.InvalidInput, match="by tensor operations"):
        from_torch(lambda x: torch.tensor(float((x.detach() ** 2).sum())).double(), n=2).grad(
            [1, 2]
        )
    with pytest.raises(fw.InvalidInput, match=r"must return a tensor, got float\.$"):
        from_torch(lambda x: 1.0, n=2).grad([1, 2])
    with pytest.raises(fw.InvalidInput, match="convert its data"):
        from_torch(lambda x: torch.ones(2, 2) @ x, n=2).grad([1, 2])


@pytest.mark.parametrize(
    "words",
    [
        "expected m1 and m2 to have the same dtype, but got: float != double",
        "expected scalar type Float but found Double",
    ],
)
def test_torch_is_understood_whichever_routine_refuses_the_numbers(words):
    pytest.importorskip("torch", reason="torch is not installed")

    def failing(words):
        def fun(x):
            raise RuntimeError(words)

        return from_torch(fun, n=2)

    with pytest.raises(fw.InvalidInput, match="convert its data"):
        failing(words).grad([1, 2])
    with pytest.raises(RuntimeError, match="something else"):
        failing("something else").grad([1, 2])


def test_jax_outside_of_the_calls_stays_in_single_precision(rng):
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
    f = from_jax(lambda x: (x**2).sum(), n=3)
    assert f.grad([1.0, 2.0, 3.0]).dtype == np.float64
    assert jnp.ones(2).dtype == jnp.float32


def test_jax_without_compiling_takes_python_conditions():
    pytest.importorskip("jax", reason="jax is not installed")
    f = from_jax(lambda x: (x**2).sum() if x[0] > 0 else (x**2).sum() * 1.0, n=3, jit=False)
    assert fw.minimize(f, fw.Simplex(), tol=1e-4).success


@pytest.mark.parametrize("package", BOTH)
def test_a_domain_is_kept(package):
    if package == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        f = from_torch(lambda x: -torch.log(x).sum(), domain=lambda x: x.min() > 0)
    else:
        jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
        f = from_jax(lambda x: -jnp.log(x).sum(), domain=lambda x: x.min() > 0)
    result = fw.minimize(f, fw.Simplex(), x0=[0.8, 0.1, 0.1], tol=1e-8)
    np.testing.assert_allclose(result.x, 1 / 3, atol=1e-3)


@pytest.mark.parametrize("package", BOTH)
def test_without_the_package_one_sentence_says_what_to_install(package):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import frankwolfe as fw\n"
        f"try: fw.adapters.from_{package}(lambda x: x)\n"
        "except fw.errors.MissingExtra as error: print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip().endswith(f'run pip install "frankwolfe[{package}]".')
