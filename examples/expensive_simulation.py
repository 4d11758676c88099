"""
Fitting a simulation without evaluating it
==========================================

Fifteen wells feed a stream, and sixty probes along it measure what arrives. How much comes from
which well? Every evaluation is a simulation: the gradient of the misfit takes one simulation
forward in time and one backward, and even the value of the misfit takes one. So a rule that tries
steps pays for each trial, and one that needs a Lipschitz constant would need simulations to find
it. `LookBack` derives the step from the gradients that are computed anyway.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import lu_factor, lu_solve

import frankwolfe as fw

# %%
# The simulation
# --------------
# The feed of the wells is carried downstream and diffuses: 120 cells, 150 implicit time steps.

CELLS, TIMES, DT, SPREAD, FLOW = 120, 150, 0.02, 1.0, 12.0
BUDGET = 300  # simulations that we can pay for
wells, probes = np.arange(2, 110, 7)[:15], np.arange(0, CELLS, 2)
matrix = np.eye(CELLS) * (1 + DT * (2 * SPREAD + FLOW))
matrix -= DT * SPREAD * np.eye(CELLS, k=1) + DT * (SPREAD + FLOW) * np.eye(CELLS, k=-1)
factors = lu_factor(matrix)
bill = {"simulations": 0}


def simulate(feed):
    """What the probes see at each time."""
    bill["simulations"] += 1
    u, seen = np.zeros(CELLS), np.empty((TIMES, probes.size))
    for t in range(TIMES):
        u[wells] += DT * feed
        u = lu_solve(factors, u)
        seen[t] = u[probes]
    return seen


def backward(residual):
    """The same backward in time: the gradient with respect to the wells."""
    bill["simulations"] += 1
    v, total = np.zeros(CELLS), np.zeros(wells.size)
    for t in reversed(range(TIMES)):
        v[probes] += residual[t]
        v = lu_solve(factors, v, trans=1)
        total += DT * v[wells]
    return total


rng = np.random.default_rng(0)
measured = simulate(rng.uniform(-1.0, 1.0, wells.size))  # some wells take, and do not feed
measured += 0.05 * measured.std() * rng.standard_normal(measured.shape)


def misfit(feed):
    """Half the squared difference, and its gradient: two simulations."""
    residual = simulate(feed) - measured
    return 0.5 * float(np.vdot(residual, residual)), backward(residual)


# %%
# The fit
# -------
# All we know beforehand is a generous bound on the feeds. So the region is much larger than the
# solution: the case for which the paper's method was designed.

ball = fw.L2Ball(50.0)
methods = {
    "FW, 2/(k+2)": fw.frank_wolfe(),
    "JFW by hand": fw.jacobi(),
    "FW, backtracking": fw.frank_wolfe(fw.steps.Backtracking()),
    "FW, secant search": fw.frank_wolfe(fw.steps.Secant()),
    "JFW auto": fw.jacobi("auto"),
}

# to judge them afterwards: the simulation is linear, so fifteen runs of it make a matrix
A = np.stack([simulate(unit).ravel() for unit in np.eye(wells.size)], axis=1)
squares = fw.SquaredError(A, measured.ravel(), reduction="sum")
least = fw.minimize(squares, ball, tol=1e-10).fun
scale = squares(np.zeros(wells.size)) / misfit(np.zeros(wells.size))[0]

courses = {}
for name, method in methods.items():
    bill["simulations"], paid, errors = 0, [], []
    f = fw.Function(misfit, True, n=wells.size)
    for state in fw.states(fw.Problem(f, ball), method):
        paid.append(bill["simulations"])
        errors.append(scale * state.value - least)
        if paid[-1] >= BUDGET:
            break
    courses[name] = paid, np.minimum.accumulate(errors)
    print(f"{name:18s} {state.k:4d} steps, misfit above the least {min(errors):.1e}")

# %%
# What it costs
# -------------
# The cost is the number of simulations: line searches need fewer steps, but pay for every trial.

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for name, (paid, errors) in courses.items():
    ax.semilogy(paid, errors, label=name)
ax.set_xlabel("simulations")
ax.set_ylabel("best misfit so far, above the least")
ax.legend()
ax.grid(alpha=0.3)
plt.show()

# %%
# What to make of it
# ------------------
# FW, JFW with hand-set parameters and `LookBack` all pay two simulations per step, but the first
# two do not notice that their steps are too long. Line searches find good steps and pay for them.
# `LookBack` finds them one step late, at no cost: `JFW auto` needs no parameter, no constant and no
# value of f. Over polytopes with the optimum on a face its lead is smaller: see the page
# "JFW that tunes itself".
