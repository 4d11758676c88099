"""Reproduction of the paper: runs its experiments and writes the files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from importlib.util import find_spec
from pathlib import Path

from frankwolfe.apps.paper import audit as audits
from frankwolfe.apps.paper import completion
from frankwolfe.apps.paper.claims import Claim, about_audit, about_completion, about_theory
from frankwolfe.apps.paper.completion import READINGS, CompletionPanel
from frankwolfe.apps.paper.experiments import SETUPS, Panel, measure
from frankwolfe.apps.paper.figures import draw_audit, draw_paces, draw_panels
from frankwolfe.apps.paper.panel_claims import about_panel
from frankwolfe.apps.paper.parameter_free import Comparison, compare
from frankwolfe.apps.paper.reports import write_markdown, write_page
from frankwolfe.base import Floats, InvalidInput, MissingExtra, writable_folder
from frankwolfe.datasets import movielens
from frankwolfe.visual.plots import Figure

__all__ = ["PARTS", "Reproduction", "reproduce"]

PARTS = ("a", "b", "c", "audit")


@dataclass
class Reproduction:
    """Results of a reproduction: measurements, files written, and why an experiment is missing."""

    panels: list[Panel] = field(default_factory=list)
    completions: list[CompletionPanel] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    audit: audits.Audit | None = None
    comparisons: list[Comparison] = field(default_factory=list)


def reproduce(
    parts: Iterable[str] = PARTS,
    out: str | os.PathLike[str] = "results",
    *,
    quick: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Reproduction:
    """Reproduce the paper's experiments.

    Parameters
    ----------
    parts : iterable of str
        Of "a", "b", "c" (experiments) and "audit" (Theorem 2 on the simplex).
    out : path
        Folder for curves, figures, claims and report; made if absent.
    quick : bool
        200 steps instead of 1000, and fewer repetitions.
    say : callable
        Called with a few words on what is being done, for a progress line.

    Returns
    -------
    Reproduction
        Its `missing` says which experiment had no data; the others are there.
    """
    chosen = list(dict.fromkeys(parts))
    unknown = [part for part in chosen if part not in PARTS]
    if unknown or not chosen:
        raise InvalidInput(f"parts must be among {', '.join(PARTS)}, got {unknown or 'none'}.")
    for package in ("matplotlib", *(("cvxpy",) if set(chosen) & set(SETUPS) else ())):
        if not find_spec(package):
            raise MissingExtra("The reproduction", package, "paper")
    folder = writable_folder(out)
    done = Reproduction()
    if "a" in chosen or "b" in chosen:
        say("the paper's algebra: recurrence, Theorem 1, Algorithm 2")
        done.claims += about_theory()
    for key in (key for key in chosen if key in SETUPS):
        panel = measure(SETUPS[key], 200 if quick else 1000, say)
        done.panels.append(panel)
        say(f"({key}) claims")
        done.claims += about_panel(panel, runs=4 if quick else 20)
        done.comparisons.append(compare(panel, 4 if quick else 20, say))
        done.files.append(_write_curves(panel, folder))
    if "c" in chosen:
        try:
            _completion(done, folder, quick, say)
        except (InvalidInput, MissingExtra) as error:  # no network: the rest is worth having
            if len(chosen) == 1:
                raise
            done.missing.append(f"experiment (c) is missing: {error}")
    if done.panels or done.completions:
        say("figure 1")
        drawn = [panel for panel in done.completions if not panel.reading.everywhere]
        done.files += _save_figure(draw_panels(done.panels, drawn), folder, "figure1")
    if done.panels:
        done.files += _save_figure(draw_paces(done.panels), folder, "pace")
    if "audit" in chosen:
        say("audit of Theorem 2 on the simplex")
        audit = done.audit = audits.run(steps=200 if quick else 500)
        done.claims.append(about_audit(audit))
        done.files.append(_write_audit(audit, folder))
        done.files += _save_figure(draw_audit(audit), folder, "audit")
    done.files.append(_write_claims(done.claims, folder))
    done.files.append(write_markdown(done, folder / "report.md"))
    command = " ".join(["frankwolfe reproduce", *chosen, *(["--quick"] if quick else [])])
    done.files.append(write_page(done, folder / "report.html", command))
    return done


def _completion(done: Reproduction, folder: Path, quick: bool, say: Callable[[str], None]) -> None:
    """Run experiment (c): every reading, and further splits for those with outliers on ratings."""
    say("(c) MovieLens 100K")
    ratings = movielens("100k", say=say)
    last = 29 if quick else 149
    for reading in READINGS:
        panel = completion.measure(ratings, reading, last, say=say)
        seeds = () if quick or reading.everywhere else (0, 1, 2)
        others = [completion.measure(ratings, reading, last, seed=s, say=say) for s in seeds]
        done.completions.append(panel)
        done.claims.append(about_completion(panel, others))
    done.files.append(_write_completion(done.completions, folder))


def _write_completion(panels: Sequence[CompletionPanel], folder: Path) -> Path:
    header = ["reading", "method", "iteration", "training loss", "test error"]
    rows = [
        [panel.reading.title, name, int(k), f"{train:.17g}", f"{test:.17g}"]
        for panel in panels
        for name, curve in panel.curves.items()
        for k, train, test in zip(curve.steps, curve.train, curve.test, strict=True)
    ]
    return _write_rows(folder / "curves_c.csv", header, rows)


def _write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def _write_curves(panel: Panel, folder: Path) -> Path:
    errors = {name: panel.error(name) for name in panel.results}
    columns = {"iteration": panel.iterations, **errors, "theorem 2": panel.theorem2()}
    return _write_columns(folder / f"curves_{panel.setup.key}.csv", columns)


def _write_audit(audit: audits.Audit, folder: Path) -> Path:
    more = {"floor": audit.floor, "theorem 2": audit.bound}
    return _write_columns(
        folder / "audit.csv", {"iteration": audit.iterations, **audit.errors, **more}
    )


def _write_columns(path: Path, columns: Mapping[str, Floats]) -> Path:
    rows = (
        [int(k), *(f"{v:.17g}" for v in rest)] for k, *rest in zip(*columns.values(), strict=True)
    )
    return _write_rows(path, list(columns), rows)


def _write_claims(claims: Sequence[Claim], folder: Path) -> Path:
    header = ["where", "claim", "measured", "verdict"]
    return _write_rows(folder / "claims.csv", header, map(astuple, claims))


def _save_figure(figure: Figure, folder: Path, name: str) -> list[Path]:
    paths = [folder / f"{name}.{kind}" for kind in ("png", "pdf")]
    for path in paths:
        figure.savefig(path, dpi=160)
    return paths
