"""The ids of messages."""

from __future__ import annotations

from nanoid import generate

_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LENGTH = 6


def new_id() -> str:
    """Return a random id: six letters and digits, as CPE makes them."""
    return str(generate(_ALPHABET, _LENGTH))
