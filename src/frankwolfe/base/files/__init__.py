"""Files: atomic writing, compressed files and archives, cells of text, named columns."""

from __future__ import annotations

from frankwolfe.base.files.archives import BrokenArchive as BrokenArchive
from frankwolfe.base.files.archives import array_names as array_names
from frankwolfe.base.files.archives import read_array as read_array
from frankwolfe.base.files.archives import read_arrays as read_arrays
from frankwolfe.base.files.atomic import atomic_write as atomic_write
from frankwolfe.base.files.atomic import remove_left_behind as remove_left_behind
from frankwolfe.base.files.atomic import temporary_prefix as temporary_prefix
from frankwolfe.base.files.atomic import unwritable as unwritable
from frankwolfe.base.files.atomic import writable_folder as writable_folder
from frankwolfe.base.files.atomic import write_bytes as write_bytes
from frankwolfe.base.files.atomic import write_text as write_text
from frankwolfe.base.files.cells import MISSING as MISSING
from frankwolfe.base.files.cells import SPELLINGS as SPELLINGS
from frankwolfe.base.files.cells import decoded as decoded
from frankwolfe.base.files.cells import has_comma as has_comma
from frankwolfe.base.files.cells import is_label as is_label
from frankwolfe.base.files.cells import is_missing_word as is_missing_word
from frankwolfe.base.files.cells import is_number as is_number
from frankwolfe.base.files.cells import like_number as like_number
from frankwolfe.base.files.cells import not_a_number as not_a_number
from frankwolfe.base.files.cells import number_of as number_of
from frankwolfe.base.files.columns import NamedColumns as NamedColumns
from frankwolfe.base.files.columns import named_columns as named_columns
from frankwolfe.base.files.columns import plain_name as plain_name
from frankwolfe.base.files.packed import opened as opened
from frankwolfe.base.files.packed import reading as reading
