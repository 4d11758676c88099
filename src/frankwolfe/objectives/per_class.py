"""The map from coefficients of several classes to their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from frankwolfe.base.arrays import Array, Indices, Matrix
from frankwolfe.core.atoms import Atom, Vertex
from frankwolfe.core.maps import DataMap
from frankwolfe.core.products import as_columns, vertices

__all__ = ["PerClass"]


class PerClass:
    """The map from a coefficient matrix X, row after row, to AX, row after row."""

    def __init__(self, linear: DataMap, classes: int) -> None:
        self.linear, self.classes = linear, classes

    def apply(self, x: Array, out: Array) -> None:
        """Write A X into `out`."""
        if not x.any():  # many runs begin at zero: a pass over the data is saved
            out[:] = 0.0
            return
        self.linear.apply(x.reshape(-1, self.classes), out.reshape(-1, self.classes))

    def adjoint(self, y: Array, out: Array) -> None:
        """Write A' Y into `out`."""
        self.linear.adjoint(y.reshape(-1, self.classes), out.reshape(-1, self.classes))

    def column(self, index: int, scale: float, out: Array) -> None:
        """Write scale times the image of a coefficient, a column of A in one class, into `out`."""
        variable, k = divmod(index, self.classes)
        column = self._column()
        self.linear.column(variable, scale, column)
        out[:] = 0.0
        out[k :: self.classes] = column

    def columns(self, indices: Indices, values: Array, out: Array) -> None:
        """Write the sum of values times the images of a few coefficients into `out`."""
        out[:] = 0.0
        column = self._column()
        for k in np.unique(indices % self.classes):
            of_class = indices % self.classes == k
            self.linear.columns(indices[of_class] // self.classes, values[of_class], column)
            out[k :: self.classes] = column

    def _column(self) -> Array:
        return self.linear.place.empty(self.linear.shape[0], self.linear.dtype)

    def images(self, atoms: Sequence[Atom]) -> Matrix:
        """Images of atoms as columns; sparse for vertices, each of which has one class."""
        rows, variables = self.linear.shape
        size = rows * self.classes
        if not self.linear.place.here:
            return self._images_there(atoms)
        if not all(isinstance(atom, Vertex) for atom in atoms):
            points = as_columns(atoms, variables * self.classes).toarray().astype(self.linear.dtype)
            out = np.empty((rows, self.classes * len(atoms)), dtype=self.linear.dtype)
            self.linear.apply(points.reshape(variables, -1), out)
            return np.asfortranarray(out.reshape(size, -1))
        from scipy.sparse import csc_array

        places, values = vertices(atoms)
        plain = [
            Vertex(place, value)
            for place, value in zip(places // self.classes, values, strict=True)
        ]
        found = csc_array(self.linear.images(plain))
        each = np.repeat(places % self.classes, np.diff(found.indptr))
        at = found.indices.astype(np.int64) * self.classes + each
        return csc_array((found.data, at, found.indptr), shape=(size, len(atoms)))

    def _images_there(self, atoms: Sequence[Atom]) -> Matrix:
        """The images as full columns, computed one by one where the data live."""
        place, rows = self.linear.place, self.linear.shape[0]
        images = place.columns(rows * self.classes, len(atoms), self.linear.dtype)
        for k, atom in enumerate(atoms):
            atom.image(self, images[:, k])
        return images
