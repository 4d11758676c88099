"""
Fitting a simulation without evaluating it
==========================================

Factories along a river release some substance, twenty-four stations downstream measure it. How much came
from where? Every answer must be simulated: the gradient of the misfit takes one simulation forward
in time and one backward, and a value of the misfit alone would take a simulation too. So a step
rule that tries steps doubles or triples the bill, and one that needs a Lipschitz constant would have
to simulate to find it. `LookBack` reads the step off the gradients that are computed anyway.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import lu_factor, lu_solve

import frankwolfe as fw

# %%
# The simulation
# --------------
# Concentrations are carried downstream and spread, in 120 cells, by 150 implicit steps in time.

CELLS, TIMES, DT = 120, 150, 0.02
rng = np.random.default_rng(0)
factories = np.sort(rng.choice(80, 15, replace=False))
stations = np.linspace(4, CELLS - 1, 24).astype(int)

spread, flow = 4.0, 12.0
step_matrix = np.eye(CELLS) * (1 + DT * (2 * spread / 4 + flow))
step_matrix += np.diag(np.full(CELLS - 1, -DT * spread / 4), 1)
step_matrix += np.diag(np.full(CELLS - 1, -DT * (spread / 4 + flow)), -1)
factors = lu_factor(step_matrix)
simulations = 0


def simulate(release):
    """What the stations see, at each time."""
    global simulations
    simulations += 1
    u, seen = np.zeros(CELLS), np.empty((TIMES, stations.size))
    source = np.zeros(CELLS)
    source[factories] = DT * release
    for t in range(TIMES):
        u = lu_solve(factors, u + source)
        seen[t] = u[stations]
    return seen


def backward(residual):
    """The same backward in time: the gradient with respect to the releases."""
    global simulations
    simulations += 1
    v, total = np.zeros(CELLS), np.zeros(CELLS)
    for t in reversed(range(TIMES)):
        v[stations] += residual[t]
        v = lu_solve(factors, v, trans=1)
        total += v
    return DT * total[factories]


truth = rng.uniform(0.5, 1.5, factories.size)
measured = simulate(truth)
measured += 0.002 * measured.max() * rng.standard_normal(measured.shape)


def misfit(release):
    """Half the squared difference, and its gradient: two simulations."""
    residual = simulate(release) - measured
    return 0.5 * float(np.vdot(residual, residual)), backward(residual)


# %%
# The fit
# -------
# Releases are not negative, and the permits allow ten times what was really released in all. So
# the region is much larger than the answer: the case for which the paper made its method.

permits = fw.UnitSimplex(10.0 * float(truth.sum()))
methods = {
    "FW, 2/(k+2)": fw.frank_wolfe(),
    "JFW by hand": fw.jacobi(),
    "FW, backtracking": fw.frank_wolfe(fw.Backtracking()),
    "FW, secant search": fw.frank_wolfe(fw.Secant()),
    "JFW auto": fw.jacobi("auto"),
    "FW, look back": fw.frank_wolfe(fw.LookBack()),
}
# to judge them afterwards: the simulation is linear, so fifteen runs of it make a matrix
A = np.stack([simulate(unit).ravel() for unit in np.eye(factories.size)], axis=1)
least = fw.minimize(fw.SquaredError(A, measured.ravel(), reduction="sum"), permits, tol=1e-9).fun

courses = {}
for name, method in methods.items():
    simulations, bill, values = 0, [], []
    f = fw.Function(misfit, True, n=factories.size)
    for state in fw.states(fw.Problem(f, permits), method):
        bill.append(simulations)
        values.append(state.value)
        if simulations >= 400:
            break
    courses[name] = np.array(bill), np.array(values)
    print(f"{name:18s} {state.k:4d} steps, misfit above the least {min(values) - least:.1e}")

# %%
# What it costs
# -------------
# The bill is the number of simulations. Line searches are fine by iterations, and pay for every trial.

figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
for name, (bill, values) in courses.items():
    ax.loglog(bill, np.minimum.accumulate(values) - least, label=name)
ax.set_xlabel("simulations")
ax.set_ylabel("best misfit so far, above the least")
ax.legend()
ax.grid(alpha=0.3)
plt.show()

# %%
# What to make of it
# ------------------
# The rules that ask for nothing but gradients have two simulations a step to pay. Among them the
# look back is far ahead of 2/(k+2) and of JFW with the paper's parameters, because it sees after each
# step that it was too long. A search needs fewer steps, and more simulations for each.
