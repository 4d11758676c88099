"""Animation of methods as a GIF, for pages that cannot run scripts, and the files of `show`."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from frankwolfe.base.errors import InvalidInput
from frankwolfe.base.files import writable_folder, write_bytes
from frankwolfe.visual.animation.scene import SCENES, WALKERS, Scene, Trajectory, walks
from frankwolfe.visual.animation.view import write_view
from frankwolfe.visual.plots import PALETTE, new_axes
from frankwolfe.visual.plots.style import Axes, Figure

__all__ = ["animate", "draw_ground", "draw_step", "show"]

PAUSE, END = 450, 3500  # milliseconds for a step, and for the last, which is to be looked at
COLORS = 128  # of the palette: fewer make a smaller file, and rough edges
SIZE = 2.45  # inches of one picture; four of them fill the width of a page

Artist: TypeAlias = Any
"""An artist of matplotlib: something drawn that can be removed."""
Picture: TypeAlias = Any
"""An image of Pillow, which comes with matplotlib."""


def animate(
    scenes: Sequence[Scene],
    path: str | os.PathLike[str],
    *,
    methods: Sequence[str] = tuple(WALKERS),
    steps: int = 24,
) -> Path:
    """Write an animated GIF: a row a scene, a column a method.

    Parameters
    ----------
    scenes : sequence of Scene
        Where the methods run.
    path : path
        The file to write.
    methods : sequence of str
        Names as :func:`walk` takes them.
    steps : int
        How many steps to show.

    Examples
    --------
    >>> import os, tempfile
    >>> from frankwolfe.visual.animation import animate, disc
    >>> path = os.path.join(tempfile.mkdtemp(), "disc.gif")
    >>> animate([disc()], path, methods=["JFW"], steps=2).read_bytes()[:6]
    b'GIF89a'
    """
    each = walks(scenes, methods, steps, "an animation")
    figure, axes = new_axes(len(methods), size=(SIZE, SIZE * 1.1), rows=len(scenes))
    shown = [(scene, one) for scene, own in each for one in own]
    for i, (ax, (scene, one)) in enumerate(zip(axes, shown, strict=True)):
        draw_ground(ax, scene, one.name if i < len(methods) else "")
    frames = []
    for k in range(steps + 1):
        drawn = []
        for i, (ax, (scene, one)) in enumerate(zip(axes, shown, strict=True)):
            drawn += draw_step(ax, scene, one, k, PALETTE[i % len(methods) % len(PALETTE)])
        if k == 0:
            figure.draw_without_rendering()
            figure.set_layout_engine("none")  # else the axes would move from step to step
        frames.append(_picture(figure))
        for artist in drawn:
            artist.remove()
    return write_bytes(path, _gif(frames))


def draw_ground(ax: Axes, scene: Scene, title: str) -> None:
    """Draw level lines and the region, which do not move."""
    from matplotlib.patches import Ellipse, Polygon

    for a, b, angle in scene.rings():
        center = tuple(scene.center)
        ax.add_patch(Ellipse(center, 2 * a, 2 * b, angle=angle, fill=False, ec="0.86", lw=0.8))
    ax.add_patch(Polygon(scene.outline, fc="0.5", alpha=0.08, lw=0))
    ax.add_patch(Polygon(scene.outline, fill=False, ec="0.35", lw=1.1))
    left, right, bottom, top = scene.frame()
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(title, fontsize=10, color="0.1", pad=3)


def draw_step(ax: Axes, scene: Scene, trajectory: Trajectory, k: int, color: str) -> list[Artist]:
    """Draw a trajectory up to step k: its points, the oracle's answers, and a line to the last."""
    points, atoms = trajectory.points[: k + 1], trajectory.atoms[: k + 1]
    (x, y), (s, t) = points[-1], atoms[-1]
    words = f"k = {k},  f − f* {_short(float(trajectory.errors[k]))}"
    place: dict[str, object] = {"ha": "center", "va": "top", "fontsize": 8.5}
    return [
        *ax.plot(*atoms.T, "o", mfc="white", mec=color, ms=5.5, mew=1.2, clip_on=False),
        *ax.plot([x, s], [y, t], color=color, lw=0.9, ls=(0, (2, 2)), alpha=0.7),
        *ax.plot(s, t, "o", color=color, ms=7, clip_on=False),
        *ax.plot(*points.T, "-", color=color, lw=1.4, marker=".", ms=4),
        *ax.plot(x, y, "o", color="black", ms=4.5),
        *ax.plot(*scene.optimum.x, "+", color="black", ms=10, mew=1.2),
        ax.text(0.5, -0.02, words, transform=ax.transAxes, **place),
    ]


def _short(value: float) -> str:
    if value < 1e-12:
        return "< $10^{-12}$"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"= {mantissa}" if int(exponent) == 0 else f"= {mantissa} · $10^{{{int(exponent)}}}$"


def _picture(figure: Figure) -> Picture:
    """Image of a figure as it is drawn now."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def _gif(frames: Sequence[Picture]) -> bytes:
    """Bytes of an animation of frames, with the palette of the last, which has all colours."""
    from PIL import Image  # matplotlib brings it

    palette = frames[-1].quantize(COLORS, method=Image.Quantize.MEDIANCUT)
    few = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [PAUSE] * (len(few) - 1) + [END]
    buffer = io.BytesIO()
    few[0].save(
        buffer, "GIF", save_all=True, append_images=few[1:], duration=times, loop=0, optimize=True
    )
    return buffer.getvalue()


def show(
    out: str | os.PathLike[str] = "results",
    *,
    scenes: Sequence[str] = (),
    methods: Sequence[str] = (),
    steps: int = 24,
    say: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write an animation, geometry.gif, and a page to step through, geometry.html.

    Parameters
    ----------
    out : path
        Folder; made if absent.
    scenes : sequence of str
        Of "polygon" and "disc"; both by default.
    methods : sequence of str
        Names as :func:`walk` takes them; FW, JFW, away steps and blended pairwise by default.
    steps : int
        How many steps each method makes.
    say : callable
        Called with a few words on what is being done, for a progress line.

    Returns
    -------
    list of Path
        The files.

    Examples
    --------
    >>> import tempfile
    >>> from frankwolfe.visual.animation import show
    >>> [path.name for path in show(tempfile.mkdtemp(), scenes=["disc"], steps=2)]
    ['geometry.html', 'geometry.gif']
    """
    unknown = [name for name in scenes if name not in SCENES]
    if unknown:
        raise InvalidInput(f"scenes must be among {', '.join(SCENES)}, got {', '.join(unknown)}.")
    folder = writable_folder(out)
    chosen = [SCENES[name]() for name in scenes or SCENES]
    names = tuple(methods or WALKERS)
    say("the page")
    page = write_view(chosen, folder / "geometry.html", methods=names, steps=steps)
    say("the animation")
    return [page, animate(chosen, folder / "geometry.gif", methods=names, steps=steps)]
