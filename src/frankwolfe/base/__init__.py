"""What every room needs and no mathematics of the field: arrays, checks, errors, files, threads."""

from __future__ import annotations

from frankwolfe.base.arrays import AnyArray as AnyArray
from frankwolfe.base.arrays import Array as Array
from frankwolfe.base.arrays import Dtype as Dtype
from frankwolfe.base.arrays import Flags as Flags
from frankwolfe.base.arrays import Floats as Floats
from frankwolfe.base.arrays import Gradient as Gradient
from frankwolfe.base.arrays import Indices as Indices
from frankwolfe.base.arrays import Ints as Ints
from frankwolfe.base.arrays import Matrix as Matrix
from frankwolfe.base.arrays import Point as Point
from frankwolfe.base.arrays import Shape as Shape
from frankwolfe.base.arrays import TableLike as TableLike
from frankwolfe.base.arrays import Variable as Variable
from frankwolfe.base.blas import one_thread as one_thread
from frankwolfe.base.budget import check_room as check_room
from frankwolfe.base.checks import all_finite as all_finite
from frankwolfe.base.checks import as_float_array as as_float_array
from frankwolfe.base.checks import at_least_one as at_least_one
from frankwolfe.base.checks import finite_vector as finite_vector
from frankwolfe.base.checks import frobenius as frobenius
from frankwolfe.base.checks import is_sparse as is_sparse
from frankwolfe.base.checks import number as number
from frankwolfe.base.checks import power as power
from frankwolfe.base.checks import quiet as quiet
from frankwolfe.base.clock import Clock as Clock
from frankwolfe.base.clock import Pieces as Pieces
from frankwolfe.base.clock import due as due
from frankwolfe.base.clock import seconds_left as seconds_left
from frankwolfe.base.errors import CheckpointError, InvalidInput, MissingExtra, Unproven
from frankwolfe.base.files import writable_folder as writable_folder
from frankwolfe.base.fingerprint import fingerprint as fingerprint
from frankwolfe.base.memory import Memory as Memory
from frankwolfe.base.memory import group as group
from frankwolfe.base.memory import grouped as grouped
from frankwolfe.base.registry import exported as exported

__all__ = ["CheckpointError", "InvalidInput", "MissingExtra", "Unproven"]
