"""Draw the pictures of the pages in this folder: python docs/uses/pictures.py [NAME ...].

A picture is drawn from the variables that the code of its page defines.
"""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import frankwolfe as fw

HERE = Path(__file__).resolve().parent
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"


def names_of(page: str) -> dict[str, Any]:
    """Variables of a page after running its code."""
    text = (HERE / f"{page}.md").read_text("utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(>>>.*?)^```$", text, re.M | re.S):
        for example in doctest.DocTestParser().get_examples(block):
            exec(example.source, names)
    return names


def project() -> None:
    """Histogram of the distances of new cases from the hull."""
    page = names_of("project")
    _, ax = plt.subplots(figsize=(6.4, 3.2))
    A, label, novelty = page["A"], page["label"], page["novelty"]
    bins = np.linspace(0, 16, 33)
    for cases, name, color in (
        (page["new"], "benign, not seen before", BLUE),
        (A[label > 0], "malignant", ORANGE),
    ):
        ax.hist(
            [near.distance for near in novelty(cases)], bins, alpha=0.6, color=color, label=name
        )
    ax.set(xlabel="distance from the hull of 220 benign cases", ylabel="cases", yscale="log")
    ax.legend()


def min_norm() -> None:
    """Losses of the groups for two descent directions."""
    page = names_of("min_norm")
    _, axes = plt.subplots(1, 2, figsize=(8.6, 3.3), sharey=True)
    titles = "descent on all rows", "along the point of smallest norm"
    for ax, path, title in zip(axes, (page["pooled"], page["shared"]), titles, strict=True):
        for losses, color, name in zip(
            path.T, (BLUE, ORANGE, GREEN), ("under 30", "30 to 49", "50 and older"), strict=True
        ):
            ax.plot(losses, color=color, label=name)
            ax.plot(losses.argmin(), losses.min(), "o", color=color, markersize=4)
        ax.set(xlabel="step", title=title, xscale="symlog")
    axes[0].set(ylabel="loss of the group (dot: lowest)")
    axes[0].legend(fontsize="small")


def enclosing_ball() -> None:
    """Capitals and the place to meet."""
    page = names_of("enclosing_ball")
    _, ax = plt.subplots(figsize=(6.0, 4.6))
    towns = {name: place[::-1] for name, place in page["capitals"].items()}
    X, place = page["X"], page["place"]
    cap = float((X @ place).min())  # the cosine of its radius
    across = np.linalg.svd(place[None])[2][1:]
    turn = np.linspace(0, 2 * np.pi, 400)
    ring = cap * place + np.sqrt(1 - cap**2) * (
        np.outer(np.cos(turn), across[0]) + np.outer(np.sin(turn), across[1])
    )
    ax.plot(
        np.degrees(np.arctan2(ring[:, 1], ring[:, 0])),
        np.degrees(np.arcsin(ring[:, 2])),
        color="0.6",
    )
    far = np.argsort(X @ place)[:3]
    for k, (name, (x, y)) in enumerate(towns.items()):
        ax.plot(x, y, "o", color=ORANGE if k in far else BLUE)
        ax.annotate(name, (x, y), (4, 4), textcoords="offset points", fontsize="small")
    ax.plot(
        np.degrees(np.arctan2(place[1], place[0])), np.degrees(np.arcsin(place[2])), "*",
        color=GREEN, markersize=16,
    )  # fmt: skip
    ax.set(xlabel="degrees east", ylabel="degrees north", aspect=1.5)


def quadratic_assignment() -> None:
    """Two keyboards and their most frequent pairs of letters."""
    page = names_of("quadratic_assignment")
    A, B, places, letters = page["A"], page["B"], page["places"], page["letters"]
    _, axes = plt.subplots(2, 1, figsize=(6.4, 4.6))
    for ax, p, name in zip(
        axes, (np.arange(26), page["found"].col_ind), ("QWERTY", "found"), strict=True
    ):
        at, way = places[p], (A * B[np.ix_(p, p)]).sum()
        pairs = A + A.T
        for i, j in zip(*np.nonzero(np.triu(pairs, 1) > 4), strict=True):
            ax.plot(*at[[i, j]].T, color=ORANGE, alpha=0.5, linewidth=0.25 * pairs[i, j], zorder=1)
        ax.scatter(*at.T, s=420, color="white", edgecolors="0.5", marker="s", zorder=2)
        for letter, (x, y) in zip(letters, at, strict=True):
            ax.text(x, y, letter.upper(), ha="center", va="center", zorder=3)
        ax.set(title=f"{name}: {way:.0f} widths of a key", aspect="equal", ylim=(2.7, -0.7))
        ax.axis("off")


def optimal_design() -> None:
    """Reaction rate, and variance of a prediction."""
    page = names_of("optimal_design")
    _, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2))
    s, gradients, design = page["s"], page["gradients"], page["design"]
    left.plot(s, gradients[:, 0], color=BLUE)
    left.plot(s[design.support], gradients[design.support, 0], "o", color=ORANGE)
    left.set(xlabel="concentration s", ylabel="rate v(s)")
    inverse = np.linalg.inv(design.information)
    variance = np.einsum("ij,ij->i", gradients @ inverse, gradients)
    right.plot(s, variance, color=BLUE, label="variance of a prediction")
    right.axhline(2.0, color="0.6", linestyle="--", label="bound: two coefficients")
    right.plot(s[design.support], variance[design.support], "o", color=ORANGE, label="design")
    right.set(xlabel="concentration s", ylim=(0, 2.3))
    right.legend(fontsize="small", loc="lower right")


def herding() -> None:
    """Chosen draws, and distance against their number."""
    page = names_of("herding")
    _, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.6))
    states, thin, best, chain = (page[name] for name in ("states", "thin", "best", "chain"))
    left.plot(*states.T, ".", color="0.8", markersize=2)
    left.plot(*states[thin.indices].T, "o", color=BLUE, markersize=5)
    left.set(title="forty of five thousand draws", xlabel="x", ylabel="y")
    counts = np.arange(1, 41)
    spaced = [page["distance"](chain[:: 5000 // k][:k]) for k in counts]
    right.loglog(counts, spaced, color=ORANGE, label="every so many")
    right.loglog(counts, thin.mmd, color=BLUE, label="herded")
    right.loglog(1 + np.arange(best.mmd.size), best.mmd, color=GREEN, label="herded, with weights")
    right.set(xlabel="points", title="distance of the embeddings")
    right.legend(fontsize="small")


def traffic() -> None:
    """Equilibrium of Sioux Falls; its page is one folder up."""
    _, ax = plt.subplots(figsize=(4.6, 6.4))
    names_of("../traffic")["falls"].plot(ax=ax)


PICTURES: tuple[Callable[[], None], ...] = (
    project, min_norm, enclosing_ball, quadratic_assignment, optimal_design, herding, traffic,
)  # fmt: skip


def main() -> None:
    """Draw the named pictures, or all."""
    plt.switch_backend("Agg")
    plt.rcParams["axes.prop_cycle"] = plt.cycler(color=fw.plots.PALETTE)
    for draw in PICTURES:
        if sys.argv[1:] and draw.__name__ not in sys.argv[1:]:
            continue
        draw()
        plt.tight_layout()
        plt.savefig(HERE / f"{draw.__name__}.png", dpi=110, metadata={"Software": ""})
        plt.close("all")


if __name__ == "__main__":
    main()
