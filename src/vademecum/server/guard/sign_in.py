"""Sign in with a key: the browser gets a session cookie and does not store the key.

The cookie contains 256 random bits. Only their hash is stored, with the id of the key. The cookie becomes invalid after
twelve hours, when the user signs out, or when the key is removed. Scripts cannot read it. Other sites cannot send it.
"""

import secrets
import time
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie

from vademecum.server.guard.keys import Key, Keys
from vademecum.state.database import SharedTables

COOKIE = "vademecum"
LASTS_S = 12 * 3600

_LONGEST = 4096
_SCHEMA = """CREATE TABLE IF NOT EXISTS sign_ins (
    hash TEXT PRIMARY KEY, key TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID"""


class SignIns:
    """The users who are signed in."""

    def __init__(self, tables: SharedTables, keys: Keys) -> None:
        self._tables, self._keys = tables, keys
        tables.declare(_SCHEMA)

    def begin(self, key: Key) -> str:
        """Sign in with a key.

        Returns:
            The value of the cookie.
        """
        token, now = secrets.token_urlsafe(32), time.time()
        with self._tables.use() as use:
            use.execute("DELETE FROM sign_ins WHERE until < ?", (now,))
            use.execute("INSERT INTO sign_ins VALUES (?, ?, ?)", (_hashed(token), key.id, now + LASTS_S))
        return token

    def find(self, cookies: str) -> Key | None:
        """Return the key for a request's cookies, or None if they contain no valid sign-in or the key was removed."""
        token = token_in(cookies)
        if not token:
            return None
        with self._tables.use() as use:
            row = use.execute(
                "SELECT key FROM sign_ins WHERE hash = ? AND until >= ?", (_hashed(token), time.time())
            ).fetchone()
        return next((key for key in self._keys.list() if row and key.id == row[0]), None)

    def end(self, cookies: str) -> None:
        """Sign out."""
        if token := token_in(cookies):
            with self._tables.use() as use:
                use.execute("DELETE FROM sign_ins WHERE hash = ?", (_hashed(token),))


def token_in(cookies: str) -> str:
    """Return the value of the session cookie from the `Cookie` header, or "".

    >>> token_in("theme=dark; vademecum=abc")
    'abc'
    """
    if not cookies or len(cookies) > _LONGEST:
        return ""
    try:
        found = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def header(token: str, *, is_secure: bool) -> str:
    """Return the `Set-Cookie` header. An empty token deletes the cookie."""
    lasts_s = LASTS_S if token else 0
    secure = "; Secure" if is_secure else ""
    return f"{COOKIE}={token}; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict{secure}"


def _hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()
