# SPDX-License-Identifier: Apache-2.0
"""What functions take besides models, or say in words what is wrong with it."""

import operator
from typing import Any, List, Optional


def words_of(name: str, words: Any) -> List[str]:
    """One word, several, or None, as a list."""
    if words is None:
        return []
    if isinstance(words, str):
        return [words]
    try:
        found = list(words)
    except TypeError:
        raise TypeError(f"{name}: a str or several are wanted, not {type(words).__name__}") from None
    for word in found:
        if not isinstance(word, str):
            raise TypeError(f"{name}: a str is wanted, not {type(word).__name__}")
    return found


def whole_number(name: str, value: Any, least: int,
                 most: int = 0xFFFFFFFF) -> Optional[int]:
    """A whole number, or None."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is from {least} to {most}, not {number}")
    return number


def share(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} is a number, not {type(value).__name__}")
    if not 0 <= value <= 1:  # no number is not, either
        raise ValueError(f"{name} is from 0 to 1, not {value}")
    return float(value)
