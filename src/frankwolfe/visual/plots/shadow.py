"""Plot of a region, or of its shadow in two or three dimensions."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from frankwolfe.base.arrays import Array, Shape
from frankwolfe.base.errors import InvalidInput
from frankwolfe.regions import Region
from frankwolfe.visual.plots.style import PALETTE, Axes, new_axes

__all__ = ["shadow"]

CIRCLE_DIRECTIONS = 720  # oracle calls for a picture in the plane: half a degree apart
SPHERE_DIRECTIONS = 3000  # oracle calls for a picture in space: about four degrees apart
SAME_POINT_TOL = 1e-9  # of the largest entry; points nearer to each other are one vertex
COPLANAR_TOL = 1e-6  # 1 - cosine of two normals; facets below it lie in one plane, without an edge

Hull: TypeAlias = Any
"""A convex hull of scipy.spatial: SciPy ships no types."""
Collection: TypeAlias = Any
"""A class of matplotlib's collections in space."""


def shadow(
    region: Region,
    onto: ArrayLike | None = None,
    *,
    shape: Shape | None = None,
    ax: Axes = None,
) -> Axes:
    """Draw a region in two or three dimensions, or its shadow in so many.

    All that is asked is its oracle: the farthest points of a shadow along u are the shadows of
    the oracle's points for -onto' u.

    Parameters
    ----------
    region : Region
        What to draw.
    onto : array of shape (2, n) or (3, n), optional
        The linear map onto the plane, or into space; by default the first variables, three where
        there are as many.
    shape : int or pair, optional
        Number of variables, or rows and columns of a matrix, where the region leaves them open.
    ax : matplotlib axes, optional
        Where to draw: axes with a 3-D projection for three dimensions; new ones by default.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np, frankwolfe as fw
    >>> ax = fw.plots.shadow(fw.L1Ball(), shape=2)
    >>> ax.patches[0].get_xy().shape                     # four corners, and the first again
    (5, 2)
    """
    points = _farthest(region, _map(region, onto, shape), shape)
    return _plane(points, region, ax) if points.shape[1] == 2 else _space(points, region, ax)


def _map(region: Region, onto: ArrayLike | None, shape: Shape | None) -> Array:
    """Matrix of the linear map onto the plane or into space, checked."""
    shape = region.dimension if shape is None else shape
    n = None if shape is None else int(np.prod(shape))
    if onto is None:
        if n is None:
            raise InvalidInput(f"shape must say how many variables {region!r} has here.")
        return np.eye(3 if n > 2 else 2, n)
    found = np.asarray(onto, dtype=np.float64)
    if found.ndim != 2 or found.shape[0] not in (2, 3) or n not in (None, found.shape[1]):
        wanted = "n" if n is None else n
        raise InvalidInput(
            f"onto must be an array of shape (2, {wanted}) or (3, {wanted}), got {found.shape}."
        )
    return found


def _farthest(region: Region, onto: Array, shape: Shape | None) -> Array:
    """Extreme points of the shadow in directions all around, each once."""
    directions = _circle() if onto.shape[0] == 2 else _sphere()
    size = shape if region.matrix else onto.shape[1]
    found = []
    for u in directions:
        g = -onto.T @ u
        point = region.lmo(g.reshape(size) if region.matrix else g).dense(size)
        found.append(onto @ np.asarray(point).ravel())
    points = np.array(found)
    unit = SAME_POINT_TOL * (float(np.abs(points).max()) or 1.0)
    return np.asarray(points[np.unique(np.round(points / unit), axis=0, return_index=True)[1]])


def _circle() -> Array:
    """Unit vectors of the plane at equal angles, none along an axis, where ties are frequent."""
    angles = 2.0 * np.pi * (np.arange(CIRCLE_DIRECTIONS) + 0.37) / CIRCLE_DIRECTIONS
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _sphere() -> Array:
    """Unit vectors of space, about equally far apart: a Fibonacci spiral on the sphere."""
    k = np.arange(SPHERE_DIRECTIONS) + 0.5
    height, angle = 1.0 - 2.0 * k / SPHERE_DIRECTIONS, np.pi * (1.0 + 5.0**0.5) * k
    radius = np.sqrt(1.0 - height**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])


def _plane(points: Array, region: Region, ax: Axes) -> Axes:
    """Draw the polygon with these vertices."""
    from matplotlib.patches import Polygon

    ax = new_axes(size=(3.2, 3.2))[1][0] if ax is None else ax
    middle = points.mean(axis=0)
    order = np.argsort(np.arctan2(*(points - middle).T[::-1]))
    around = points[order]
    ax.add_patch(Polygon(around, facecolor=PALETTE[0], edgecolor=PALETTE[0], alpha=0.35, lw=1.5))
    if len(points) < CIRCLE_DIRECTIONS // 4:
        ax.plot(*around.T, "o", color=PALETTE[1], markersize=5)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.margins(0.12)
    ax.grid(True, alpha=0.3)
    return ax


def _space(points: Array, region: Region, ax: Axes) -> Axes:
    """Draw the convex hull of the points: with edges if they are few, else shaded as if round."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
    from scipy.spatial import ConvexHull, QhullError

    if ax is None:
        figure = new_axes(size=(3.2, 3.2))[0]
        figure.clear()
        ax = figure.add_subplot(projection="3d")
    few = len(points) < SPHERE_DIRECTIONS // 20
    try:
        hull = ConvexHull(points)
    except QhullError:  # a flat set in space: its outline in its own plane
        _flat(points, ax, Poly3DCollection)
    else:
        faces = Poly3DCollection(
            points[hull.simplices], facecolor=PALETTE[0], edgecolor="none", alpha=0.45 if few else 1
        )
        if not few:
            faces.set_facecolor(_shaded(hull.equations[:, :3]))
        ax.add_collection3d(faces)
        if few:
            ax.add_collection3d(Line3DCollection(_edges(hull), colors=PALETTE[0], linewidths=1.2))
    if few:
        ax.scatter(*points.T, color=PALETTE[1], s=14, depthshade=False)
    _fit(ax, points)
    return ax


def _flat(points: Array, ax: Axes, collection: Collection) -> None:
    """Draw points that lie in one plane of space as a polygon."""
    if len(points) < 3:
        ax.plot(*points.T, color=PALETTE[0])
        return
    middle = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - middle, full_matrices=False)
    across = (points - middle) @ axes[:2].T
    order = np.argsort(np.arctan2(*across.T[::-1]))
    ax.add_collection3d(
        collection([points[order]], facecolor=PALETTE[0], edgecolor=PALETTE[0], alpha=0.45)
    )


def _shaded(normals: Array) -> Array:
    """Colours of facets by the light that falls on them."""
    from matplotlib.colors import to_rgb

    light = normals @ (np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8]))
    share = 0.55 + 0.45 * light[:, None]
    return np.asarray(np.clip(1.0 - (1.0 - np.array(to_rgb(PALETTE[0]))) * (1.35 - share), 0, 1))


def _edges(hull: Hull) -> list[Array]:
    """Edges between facets of a hull that do not lie in one plane."""
    found = []
    for i, neighbours in enumerate(hull.neighbors):
        for j in neighbours:
            if i < j and hull.equations[i, :3] @ hull.equations[j, :3] < 1.0 - COPLANAR_TOL:
                shared = np.intersect1d(hull.simplices[i], hull.simplices[j])
                found.append(hull.points[shared])
    return found


def _fit(ax: Axes, points: Array) -> None:
    """Set one scale along all axes around the points, without labels."""
    half = 0.5 * float(np.ptp(points, axis=0).max()) or 1.0
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    for axis, at in zip("xyz", centre, strict=True):
        getattr(ax, f"set_{axis}lim")(at - half, at + half)
        getattr(ax, f"{axis}axis").set_ticklabels([])
    ax.set_box_aspect((1, 1, 1))
    ax.view_init(elev=22, azim=35)
