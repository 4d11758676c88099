"""Tables in text, read line by line from bytes that end with a line's end.

What is no plain number (a quoted one, a word, too many digits) is not read here: its place goes
into `odd`, as (row or place, column or -1, line, first byte, byte after the last), for the caller
to look at. All arrays must have room for what the data can hold.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from frankwolfe.numerics.kernels.decimal import number

__all__ = ["cells", "pairs", "whole_numbers"]

FINE, COUNT, QUOTE, PAIR, ORDER, LARGE = range(6)
LINE, RETURN, BLANK, TAB, MARK, HASH, COLON = 10, 13, 32, 9, 34, 35, 58
MOST = 2147483647


@njit(cache=True, error_model="numpy", nogil=True)
def _past_quote(data, at):  # type: ignore[no-untyped-def]
    """The byte after the closing quote, or -1 where the line ends first."""
    at += 1
    while True:
        if data[at] == LINE:
            return -1
        if data[at] == MARK:
            if data[at + 1] != MARK:
                return at + 1
            at += 1
        at += 1


@njit(cache=True, error_model="numpy", nogil=True)
def _past(data, at, one, other):  # type: ignore[no-untyped-def]
    """The first byte from `at` on that is neither of two."""
    while data[np.uintp(at)] == one or data[np.uintp(at)] == other:
        at += 1
    return at


@njit(cache=True, error_model="numpy", nogil=True)
def _one_digit(data, at, delimiter):  # type: ignore[no-untyped-def]
    """Whether the cell is one digit and not the last, as most cells of many tables are."""
    return 48 <= data[np.uintp(at)] <= 57 and data[np.uintp(at + 1)] == delimiter


@njit(cache=True, error_model="numpy", nogil=True)
def _cell(data, at, delimiter, second, blank, numeric):  # type: ignore[no-untyped-def]
    """One cell: where its text begins and ends, the byte that ends it, its value, if plain."""
    at = first = _past(data, at, blank, blank)
    value, plain = math.nan, False
    if data[np.uintp(at)] == MARK:
        at = _past_quote(data, at)
        if at < 0:
            return first, first, at, value, plain
    elif numeric:
        value, at, plain = number(data, at)
        last = at
        at = _past(data, at, blank, RETURN)
        if plain and (
            data[np.uintp(at)] == delimiter
            or data[np.uintp(at)] == second
            or data[np.uintp(at)] == LINE
        ):
            return first, last, at, value, plain
    while (
        data[np.uintp(at)] != delimiter
        and data[np.uintp(at)] != second
        and data[np.uintp(at)] != LINE
    ):
        at += 1
    last = at
    while last > first and (data[last - 1] == blank or data[last - 1] == RETURN):
        last -= 1
    return first, last, at, math.nan, last == first  # an empty cell is a plain NaN


@njit(cache=True, error_model="numpy", nogil=True)
def _note(odd, count, row, column, line, first, last):  # type: ignore[no-untyped-def]
    """Write down where something odd is; one more there is then."""
    odd[count, 0], odd[count, 1], odd[count, 2] = row, column, line
    odd[count, 3], odd[count, 4] = first, last
    return count + 1


@njit(cache=True, error_model="numpy", nogil=True)
def _row_end(data, at, delimiter, second, runs):  # type: ignore[no-untyped-def]
    """From the byte that ends a cell to the next cell or the end of the line."""
    if data[np.uintp(at)] == LINE:
        return at, True
    at += 1
    if not runs:
        return at, False
    at = _past(data, at, delimiter, second)
    at = _past(data, at, RETURN, RETURN)
    return at, data[np.uintp(at)] == LINE


@njit(cache=True, error_model="numpy", nogil=True)
def cells(data, at, line, delimiter, second, runs, place, X, y, texts, row, odd):  # type: ignore[no-untyped-def]
    """Rows of cells between delimiters.

    `delimiter` and `second` both end a cell; with `runs` several of them count as one. place[c]
    says where column c goes: j >= 0 to X[row, j], -1 nowhere, -2 to y[row], -3 - k to
    texts[row, k] as first byte and byte after the last. Returns the line, the rows there are, the
    odd cells, a code, and the number of cells in a row that has another number of them.
    """
    count, strange = place.size, 0
    blank = BLANK if delimiter != BLANK else RETURN
    while at < data.size:
        begin = at
        at = _past(data, at, blank, RETURN)
        if runs:
            at = _past(data, _past(data, at, delimiter, second), RETURN, RETURN)
        if data[np.uintp(at)] == LINE:
            at += 1
            line += 1
            continue
        at = at if runs else begin
        column, ended = 0, False
        while not ended:
            where = place[column] if column < count else -1
            if where >= 0 and not runs and _one_digit(data, at, delimiter):
                X[row, where] = np.float64(data[np.uintp(at)] - 48)
                at += 2
                column += 1
                continue
            numeric = where >= 0 or where == -2
            first, last, at, value, plain = _cell(data, at, delimiter, second, blank, numeric)
            if at < 0:
                return line, row, strange, QUOTE, 0
            if where >= 0:
                X[row, where] = value
            elif where == -2:
                y[row] = value
            elif where < -2:
                texts[row, -3 - where, 0], texts[row, -3 - where, 1] = first, last
            if numeric and not plain:
                strange = _note(odd, strange, row, column, line, first, last)
            column += 1
            at, ended = _row_end(data, at, delimiter, second, runs)
        if column != count:
            return line, row, strange, COUNT, column
        at += 1
        line += 1
        row += 1
    return line, row, strange, FINE, 0


@njit(cache=True, error_model="numpy", nogil=True)
def _index(data, at):  # type: ignore[no-untyped-def]
    """The whole number that starts at `at`, and where it ends; it stops growing when too large."""
    index = np.int64(0)
    while 48 <= data[np.uintp(at)] <= 57:
        index = index * 10 + np.int64(data[np.uintp(at)] - 48) if index <= MOST else index
        at += 1
    return index, at


@njit(cache=True, error_model="numpy", nogil=True)
def _token(data, at):  # type: ignore[no-untyped-def]
    """A number up to the next blank: its value, where it ends, and if plain."""
    value, at, plain = number(data, at)
    if data[np.uintp(at)] > BLANK:
        plain = False
        while data[np.uintp(at)] > BLANK:
            at += 1
    return value, at, plain


@njit(cache=True, error_model="numpy", nogil=True)
def _line_end(data, at):  # type: ignore[no-untyped-def]
    """Past blanks, and whether nothing but a comment is left of the line."""
    at = _past(data, _past(data, at, BLANK, TAB), RETURN, BLANK)
    return at, data[np.uintp(at)] == LINE or data[np.uintp(at)] == HASH


@njit(cache=True, error_model="numpy", nogil=True)
def _is_qid(data, at):  # type: ignore[no-untyped-def]
    """Whether a query's number stands here, as SVMlight has them."""
    return data[at] == 113 and data[at + 1] == 105 and data[at + 2] == 100


@njit(cache=True, error_model="numpy", nogil=True)
def pairs(data, at, line, y, ends, indices, values, row, filled, odd):  # type: ignore[no-untyped-def]
    """Rows of a target and index:value pairs.

    ends[row + 1] is where row's pairs end. Returns the line, the rows and pairs there are, the
    odd values (index -1: the target), a code, and the byte that the code is about.
    """
    strange = 0
    while at < data.size:
        first, ended = _line_end(data, at)
        at, blank = first, ended
        if not ended:
            y[row], at, plain = _token(data, first)
            if not plain:
                strange = _note(odd, strange, row, -1, line, first, at)
            first, ended = _line_end(data, at)
        previous = -1
        while not ended:
            if _is_qid(data, first):
                _, at, _ = _token(data, first)
            else:
                index, at = _index(data, first)
                if at == first or data[at] != COLON or data[at + 1] <= BLANK:
                    return line, row, filled, strange, PAIR, first
                if index > MOST or index <= previous:
                    return line, row, filled, strange, ORDER if index <= MOST else LARGE, first
                first, previous = at + 1, index
                value, at, plain = _token(data, first)
                if not plain:
                    strange = _note(odd, strange, filled, index, line, first, at)
                indices[filled], values[filled] = index, value
                filled += 1
            first, ended = _line_end(data, at)
        if not blank:
            row += 1
            ends[row] = filled
        at = first
        while data[np.uintp(at)] != LINE:
            at += 1
        at += 1
        line += 1
    return line, row, filled, strange, FINE, 0


@njit(cache=True, error_model="numpy", nogil=True)
def whole_numbers(data, places, out):  # type: ignore[no-untyped-def]
    """Whole numbers from their first byte to the byte after their last, quoted or not.

    Returns how many come before one that is not written as such a number is: with a sign other
    than a minus, a zero before it, more than 18 digits, or anything else.
    """
    for row in range(places.shape[0]):
        at, last = places[row, 0], places[row, 1]
        if last - at > 1 and data[at] == MARK and data[last - 1] == MARK:
            at, last = at + 1, last - 1
        negative = last - at > 1 and data[at] == 45
        if negative:
            at += 1
        if not 1 <= last - at <= 18 or (data[at] == 48 and (negative or last - at > 1)):
            return row
        value = np.int64(0)
        for place in range(at, last):
            if not 48 <= data[place] <= 57:
                return row
            value = value * 10 + np.int64(data[place] - 48)
        out[row] = -value if negative else value
    return places.shape[0]
