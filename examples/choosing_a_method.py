"""
Choosing a method by its certificate
====================================

You have a problem of your own and do not know its optimum. Which method should you use, and when
can you stop? The values alone do not show it: a run that makes slow progress and a run that has
converged look the same. A certified gap shows it: it is a bound on f(x) - min f that the run
computes.
"""

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

rng = np.random.default_rng(0)
A = rng.standard_normal((400, 1000)) * rng.uniform(0.5, 1.5, 1000)
x = np.zeros(1000)
x[rng.permutation(1000)[:40]] = rng.standard_normal(40)
b = A @ x + 0.5 * rng.standard_normal(400)
objective, region = fw.SquaredError(A, b), fw.L1Ball(0.8 * np.abs(x).sum())

# %%
# Give each candidate the same small budget. ``None`` is the library's own choice.

names = ["frank_wolfe", "jacobi", "away_step", "pairwise", "blended_pairwise", None]
runs = {}
for name in names:
    run = fw.minimize(objective, region, method=name, stop=fw.Gap(1e-9) | fw.Iterations(1000))
    runs[f"default: {run.method}" if name is None else name] = run

print("                            value      lower bound       gap  certified  gradients")
for name, run in runs.items():
    print(
        f"{name:23s}  {run.fun:10.6f}  {run.lower_bound:12.6f}  {run.gap:9.1e}  "
        f"{run.certified!s:>9}  {run.njev:9d}"
    )

# %%
# All lower bounds are bounds on the *same* number, min f. So we can compare the value of each run
# with the best lower bound of all runs.

floor = max(run.lower_bound for run in runs.values())
print("what is still to be gained, at most:")
for name, run in runs.items():
    print(f"  {name:23s}  {run.fun - floor:.1e}   (by its own certificate: {run.gap:.1e})")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.2), layout="constrained")
fw.plots.convergence(runs, ax=right)
right.set_title("Certificates: not all have")
handles, labels = right.get_legend_handles_labels()
for handle, run in zip(handles, runs.values(), strict=True):
    style = {"color": handle.get_color(), "linestyle": handle.get_linestyle()}
    left.plot(run.history.iteration + 1, run.history.value, **style)
left.set(xscale="log", xlabel="iteration + 1", ylabel="f(x)", ylim=(0, 3))
left.set_title("Values: all seem to settle")
left.grid(True, alpha=0.3)
right.legend().remove()
figure.legend(handles, labels, loc="outside lower center", ncols=3)
plt.show()

# %%
# What to make of it
# ------------------
# Rules of thumb for a problem of your own:
#
# - Start with ``method=None`` and look at ``result.gap``. If it is small enough, you are done.
# - If not, run two or three others for a short time, and continue with the one whose *gap* falls
#   fastest. Iterations do not cost the same: plot ``against="seconds"`` before you decide.
# - Where ``result.certified`` is False, as for a function that is not convex, the gap is not a
#   bound. Then you can compare only values, and know less.
#
# This is one problem. Over a region with a curved boundary, or with an optimum in the interior, the
# order of the methods is different: the page "Methods compared" has 38 problems.
