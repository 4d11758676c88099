"""What every room needs and no mathematics of the field: arrays, checks, errors, files, threads."""

from __future__ import annotations

from frankwolfe.base.arrays import Array as Array
from frankwolfe.base.arrays import Flags as Flags
from frankwolfe.base.arrays import Indices as Indices
from frankwolfe.base.arrays import Matrix as Matrix
from frankwolfe.base.arrays import TableLike as TableLike
from frankwolfe.base.blas import one_thread as one_thread
from frankwolfe.base.budget import check_room as check_room
from frankwolfe.base.checks import all_finite as all_finite
from frankwolfe.base.checks import as_float_array as as_float_array
from frankwolfe.base.checks import at_least_one as at_least_one
from frankwolfe.base.checks import finite_vector as finite_vector
from frankwolfe.base.checks import is_sparse as is_sparse
from frankwolfe.base.checks import number as number
from frankwolfe.base.checks import quiet as quiet
from frankwolfe.base.errors import CheckpointError, InvalidInput, MissingExtra, Unproven
from frankwolfe.base.files import writable_folder as writable_folder

__all__ = ["CheckpointError", "InvalidInput", "MissingExtra", "Unproven"]
