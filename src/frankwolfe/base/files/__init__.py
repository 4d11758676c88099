"""Files: atomic writing, compressed files and archives, cells of text, named columns."""

from __future__ import annotations

from frankwolfe.base.files.archives import BrokenArchive, array_names, read_array, read_arrays
from frankwolfe.base.files.atomic import (
    atomic_write,
    remove_left_behind,
    temporary_prefix,
    unwritable,
    writable_folder,
    write_bytes,
    write_text,
)
from frankwolfe.base.files.cells import (
    MISSING,
    SPELLINGS,
    decoded,
    has_comma,
    is_label,
    is_missing_word,
    is_number,
    like_number,
    not_a_number,
    number_of,
)
from frankwolfe.base.files.columns import NamedColumns, named_columns, plain_name
from frankwolfe.base.files.packed import opened, reading

__all__ = [
    "MISSING",
    "SPELLINGS",
    "BrokenArchive",
    "NamedColumns",
    "array_names",
    "atomic_write",
    "decoded",
    "has_comma",
    "is_label",
    "is_missing_word",
    "is_number",
    "like_number",
    "named_columns",
    "not_a_number",
    "number_of",
    "opened",
    "plain_name",
    "read_array",
    "read_arrays",
    "reading",
    "remove_left_behind",
    "temporary_prefix",
    "unwritable",
    "writable_folder",
    "write_bytes",
    "write_text",
]
