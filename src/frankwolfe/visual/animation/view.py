"""Page to step through methods in the plane."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.files import write_text
from frankwolfe.visual.animation.scene import WALKERS, Scene, Trajectory, walks
from frankwolfe.visual.report.markup import asset, inline_json
from frankwolfe.visual.report.page import page

__all__ = ["write_view"]

LEAD = (
    "At each step a method asks an oracle for the point of the region furthest down the slope, "
    "and moves. Level lines are those of a quadratic; the cross marks its smallest point there."
)
HEAD = ("method", "f − f*", "certified gap", "last move")


def write_view(
    scenes: Sequence[Scene],
    path: str | os.PathLike[str],
    *,
    methods: Sequence[str] = tuple(WALKERS),
    steps: int = 24,
) -> Path:
    """Write a page with a slider, play and pause, and a choice of methods; no network needed.

    Parameters are those of :func:`animate`.

    Examples
    --------
    >>> import os, tempfile
    >>> from frankwolfe.visual.animation import disc, write_view
    >>> write_view([disc()], os.path.join(tempfile.mkdtemp(), "disc.html"), steps=3).name
    'disc.html'
    """
    packed = [_scene(scene, own) for scene, own in walks(scenes, methods, steps, "a view")]
    title = "Frank-Wolfe methods in the plane"
    scripts = [asset("frankwolfe.visual.report", name) for name in ("scales.js", "shapes.js")]
    scripts.append(asset("frankwolfe.visual.animation", "view.js"))
    body = _body(title, steps, packed)
    return write_text(
        path, page(title, body, scripts, asset("frankwolfe.visual.animation", "view.css"))
    )


def _scene(scene: Scene, walks: Sequence[Trajectory]) -> dict[str, object]:
    """Data of a scene and its trajectories, for the script of the page."""
    return {
        "title": scene.title,
        "frame": _rounded(scene.frame()),
        "outline": _rounded(scene.outline),
        "corners": scene.polygonal,
        "center": _rounded(scene.center),
        "rings": _rounded(scene.rings()),
        "optimum": _rounded(scene.optimum.x),
        "walks": [
            {
                "name": one.name,
                "points": _rounded(one.points),
                "atoms": _rounded(one.atoms),
                "errors": _rounded(one.errors),
                "gaps": _rounded(one.gaps),
                "moves": list(one.moves),
            }
            for one in walks
        ],
    }


def _rounded(values: ArrayLike) -> object:
    """Numbers with seven digits, in lists nested like the axes of the array."""
    array = np.asarray(values, dtype=np.float64)
    rounded = np.array([float(f"{value:.7g}") for value in array.ravel().tolist()])
    return rounded.reshape(array.shape).tolist()


def _body(title: str, steps: int, scenes: Sequence[dict[str, object]]) -> str:
    """Body of the page, with the data of its scenes as JSON."""
    data = {"steps": steps, "scenes": scenes}
    head = "".join(
        f'<th scope="col"{" class=number" if 0 < j < 3 else ""}>{escape(name)}</th>'
        for j, name in enumerate(HEAD)
    )
    return f"""<header><h1>{escape(title)}</h1><p class="lead">{escape(LEAD)}</p></header>
<div class="tools scenes" role="group" aria-label="Region"></div>
<figure class="stage">
<div class="plane"></div>
<div class="tools transport">
<button type="button" class="back" aria-label="One step back">◂ step</button>
<button type="button" class="play">Play</button>
<button type="button" class="on" aria-label="One step on">step ▸</button>
<label class="slider">step <output>0</output>
<input type="range" min="0" max="{int(steps)}" value="0" step="1"></label>
</div>
<div class="legend" role="group" aria-label="Show or hide a method"></div>
<figcaption>A filled dot is what the oracle answers now, and a dashed line leads there from the
current point; a ring is what it answered before.</figcaption>
</figure>
<div class="wide" tabindex="0" role="region" aria-label="Where each method is"><table>
<caption>Where each method is at this step</caption>
<thead><tr>{head}</tr></thead><tbody></tbody></table></div>
<noscript><p>This page needs JavaScript; the animation geometry.gif does not.</p></noscript>
<script type="application/json" id="data">{inline_json(data)}</script>"""
