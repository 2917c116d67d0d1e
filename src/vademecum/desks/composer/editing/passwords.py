"""Hash passwords as in `/etc/shadow`: salted SHA-512 with SHA-crypt (U. Drepper, 2007)."""

import hashlib

_ALPHABET = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ROUNDS = 5000
_ORDER = (
    (0, 21, 42), (22, 43, 1), (44, 2, 23), (3, 24, 45), (25, 46, 4), (47, 5, 26), (6, 27, 48), (28, 49, 7), (50, 8, 29), (9, 30, 51),
    (31, 52, 10), (53, 11, 32), (12, 33, 54), (34, 55, 13), (56, 14, 35), (15, 36, 57), (37, 58, 16), (59, 17, 38), (18, 39, 60),
    (40, 61, 19), (62, 20, 41),
)  # fmt: skip
"""How the bytes of the last digest are put into groups of three."""


def hashed(password: str, salt: str = "") -> str:
    """A password's hash, with its salt and the name of its method before it.

    >>> hashed("Hello world!", "saltstring")[:60]
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnI'
    """
    import secrets  # noqa: PLC0415 - few requests name a password

    salt = salt[:16] or "".join(secrets.choice(_ALPHABET) for _ in range(16))
    word, grain = password.encode(), salt.encode()
    other = hashlib.sha512(word + grain + word).digest()
    first = word + grain + (other * (len(word) // 64 + 1))[: len(word)]
    length = len(word)
    while length:
        first += other if length & 1 else word
        length >>= 1
    digest = hashlib.sha512(first).digest()
    words = (hashlib.sha512(word * len(word)).digest() * (len(word) // 64 + 1))[: len(word)]
    grains = (hashlib.sha512(grain * (16 + digest[0])).digest() * (len(grain) // 64 + 1))[: len(grain)]
    for turn in range(_ROUNDS):
        mixed = words if turn & 1 else digest
        mixed += grains if turn % 3 else b""
        mixed += words if turn % 7 else b""
        mixed += digest if turn & 1 else words
        digest = hashlib.sha512(mixed).digest()
    text = "".join(
        _letters(digest[one] << 16 | digest[two] << 8 | digest[three], 4) for one, two, three in _ORDER
    )
    return f"$6${salt}${text}{_letters(digest[63], 2)}"


def _letters(number: int, count: int) -> str:
    return "".join(_ALPHABET[(number >> 6 * place) & 63] for place in range(count))
