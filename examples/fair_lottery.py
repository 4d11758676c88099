"""
A fair lottery over assignments
===============================

Twelve people share twelve rooms. Each person has given a value to each room, and several want the
same room. Any single assignment is unfair to somebody. So we draw one at random: every person gets
a probability for every room, such that rows and columns sum to one. Such a matrix is doubly
stochastic, a point of the Birkhoff polytope. Its vertices are the assignments, and the oracle is
the assignment problem.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

import frankwolfe as fw

rng = np.random.default_rng(7)
n = 12
quality = np.linspace(1.0, 0.2, n)  # some rooms please everybody
values = quality * rng.uniform(0.3, 1.0, (n, n))
values /= values.max(axis=1, keepdims=True)  # each person's favourite counts 1

# %%
# The usual answer has the largest sum of values. It takes one call of the oracle, and one person
# does badly.

people, rooms = linear_sum_assignment(-values)
usual = values[people, rooms]
print(f"largest sum: {usual.sum():.2f} in all, the unluckiest gets {usual.min():.2f}")

# %%
# Nash's answer has the largest *product* of expected values, which is the largest sum of their
# logarithms. A person's expected value is linear in the matrix, so we minimize :math:`-\frac1n
# \sum_i \log (Rx)_i`, which is :class:`frankwolfe.LogPortfolio`. Row i of R has the values of
# person i in the cells of that person.

R = sparse.csr_array(
    (values.ravel(), np.arange(n * n), np.arange(0, n * n + 1, n)), shape=(n, n * n)
)
result = fw.minimize(fw.LogPortfolio(R), fw.Birkhoff(n), tol=1e-6)
chances = result.x.reshape(n, n)
expected = (values * chances).sum(axis=1)
print(f"Nash's lottery: {expected.sum():.2f} in all, the unluckiest expects {expected.min():.2f}")
print(f"certified gap {result.gap:.0e} after {result.nit} steps of {result.method}")

# %%
# How do you draw from it? By the theorem of Birkhoff and von Neumann, a doubly stochastic matrix is
# a mixture of assignments. A method that keeps its atoms has already computed such a mixture.

lottery = [(weight, atom.dense(n * n).reshape(n, n)) for weight, atom in result.active_set]
print(f"a mixture of {len(lottery)} assignments")
mixed = sum(weight * assignment for weight, assignment in lottery)
print(f"which gives the matrix up to {np.abs(mixed - chances).max():.0e}")
drawn = rng.choice(len(lottery), p=[weight for weight, _ in lottery])
print("today's draw, room of each person:", lottery[drawn][1].argmax(axis=1) + 1)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 4.2), layout="constrained")
image = left.imshow(chances, cmap="cividis", vmin=0, vmax=1)
left.plot(rooms, people, "x", color="#D55E00", label="the largest sum")
left.set(xlabel="room", ylabel="person", title="Chance of each room")
left.set_xticks(range(n), range(1, n + 1))
left.set_yticks(range(n), range(1, n + 1))
left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), fontsize="small")
figure.colorbar(image, ax=left, shrink=0.85)
order = np.argsort(usual)
right.bar(np.arange(n) - 0.2, usual[order], 0.4, color="#D55E00", label="the largest sum")
right.bar(
    np.arange(n) + 0.2, expected[order], 0.4, color="#0072B2", hatch="//", edgecolor="white",
    label="Nash's lottery, expected",
)  # fmt: skip
right.set_xticks(range(n), order + 1)
right.set(xlabel="person", ylabel="value of the room", title="Who gets how much")
right.legend(fontsize="small")
plt.show()

# %%
# A promise to everybody
# ----------------------
# Another way to be fair: the largest *sum* of expected values such that nobody expects less than a
# floor. The floor is one row for each person beside the polytope (``subject_to``), and its
# multiplier is what the promise to that person costs: by how much the sum falls when the floor is
# raised.

total = fw.Quadratic(sparse.csr_array((n * n, n * n)), -values.ravel(), convex=True)
print("floor   sum      at most   people at the floor   price of raising it for all")
for floor in (0.3, 0.45, 0.55, 0.6, 0.9):
    promise = fw.minimize(total, fw.Birkhoff(n), subject_to=fw.Affine(R, floor, np.inf))
    if promise.status is fw.Status.INFEASIBLE:
        print(f"{floor:5.2f}   nobody can promise that: it is proved")
        continue
    held = int((promise.multipliers < -1e-6).sum())
    figures = f"{-promise.fun:7.4f}   {-promise.lower_bound:7.4f}"
    print(f"{floor:5.2f}   {figures}   {held:19d}   {-promise.multipliers.sum():.3f}")

# %%
# What to make of it
# ------------------
# The lottery gives up a little of the sum and improves the unluckiest person's value. The
# certificate says that no other lottery has a mean logarithm that is larger by more than the gap.
#
# It is fair *before* the draw. After it, somebody still has the worst room. And the mixture is not
# unique: another method may find another mixture for the same matrix.
