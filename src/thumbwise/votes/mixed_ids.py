"""Ids in an order that nothing depends on: mixed by a hash, the same in memory and in a database."""

from __future__ import annotations

from hashlib import md5

import numpy as np

from thumbwise._typing import AnyArray

# Stands before each id, so that the order is not that of other hashes of the same ids.
_SALT = "thumbwise "


def mixed_keys(ids: AnyArray) -> AnyArray:
    """A key for each id; items in the order of their keys are as good as shuffled, whatever their ids tell.

    Examples
    --------
    >>> mixed_keys(np.array([1, 2]))
    array([b'd58ae8d219df517c08877ab13fc8690d',
           b'58398c9e10c43cd1af157d95e1978dd8'], dtype='|S32')
    """
    keys = [md5(f"{_SALT}{value}".encode(errors="surrogatepass"), usedforsecurity=False) for value in ids.tolist()]
    return np.array([key.hexdigest() for key in keys], dtype="S32")


def mixed_key_in_sql(column: str) -> str:
    """The same of a column of ids, in DuckDB."""
    return f"md5('{_SALT}' || CAST({column} AS VARCHAR))"
