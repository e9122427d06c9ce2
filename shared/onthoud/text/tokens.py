"""A token estimate without a tokenizer, which errs on the high side.

A tokenizer reads bytes, and no token is shorter than one byte, so bytes bound tokens from above; for the scripts that
tokenizers know well that bound is far too high. The rates below are taken per kind of character, so that a budget kept
by the estimate is kept in fact:

* a word in ASCII letters: one token per 3 letters, rounded up (English takes one per 4 to 5, Dutch, Danish and German
  one per 3 to 4);
* letters with accents, and other alphabets of two bytes (Greek, Cyrillic, Arabic, Hebrew): one token per letter;
* digits: one token per digit, as some tokenizers count them; punctuation and line ends: one each;
* Chinese, Japanese, Korean and everything else up to U+FFFF: two tokens per character (1 to 1.5 are usual);
* emoji and the rest: four tokens per code point, their bytes;
* a run of letters and digits longer than 24, such as an address or base64: one token per 1.5 characters.
"""

from __future__ import annotations

import re

from onthoud.text.patterns import LazyPattern

_PIECE = LazyPattern(r"[A-Za-z0-9+/=_-]{25,}|[A-Za-z]+|\s+|.", re.DOTALL)


def estimate(text: str) -> int:
    """Return an upper estimate of the tokens that `text` takes; 0 for no text."""
    return sum(_piece(piece) for piece in _PIECE.findall(text))


def _piece(piece: str) -> int:
    if len(piece) >= 25 and piece.isascii() and not piece.isspace():
        return -(-len(piece) * 2 // 3)
    if piece.isascii() and piece.isalpha():
        return -(-len(piece) // 3)
    if piece.isspace():
        # One blank belongs to the word behind it.
        return 0 if piece == " " else piece.count("\n") + 1 + len(piece) // 8
    code = ord(piece)
    if code < 0x80:
        return 1
    if code < 0x800:
        return 1
    return 2 if code <= 0xFFFF else 4
