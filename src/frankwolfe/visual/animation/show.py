"""Files of the command `frankwolfe show`: an animation and a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from frankwolfe.base.errors import InvalidInput
from frankwolfe.visual.animation.animation import animate
from frankwolfe.visual.animation.scene import SCENES
from frankwolfe.visual.animation.view import write_view
from frankwolfe.visual.animation.walk import WALKERS

__all__ = ["show"]


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
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"the folder {folder} cannot be written: {error.strerror or error}."
        ) from None
    chosen = [SCENES[name]() for name in scenes or SCENES]
    names = tuple(methods or WALKERS)
    say("the page")
    page = write_view(chosen, folder / "geometry.html", methods=names, steps=steps)
    say("the animation")
    return [page, animate(chosen, folder / "geometry.gif", methods=names, steps=steps)]
