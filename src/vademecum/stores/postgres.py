"""The PostgreSQL store: a table for each kind of row, vectors with pgvector, and publishing in a transaction.

The tables are in their own schema, `vademecum` or the one that the address names (`?schema=`). Vectors are searched
exactly, one segment at a time: an approximate index over all segments (HNSW) was no faster, and 7 % of its answers
differed.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from logging import NullHandler, getLogger
from os import dup
from socket import SHUT_RDWR, socket
from threading import Lock, Timer
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from vademecum.core.errors import IndexLocked, StoreError
from vademecum.core.stores import KINDS, Kind, Published, Row
from vademecum.stores._records import batches

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.types.json import Jsonb
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as error:
    message = f"PostgreSQL needs the extra postgres ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[postgres]'") from error

getLogger("psycopg.pool").addHandler(NullHandler())  # its messages are also raised as errors
_VERSION = 2
"""The version of the tables. Version 1 had approximate vector indexes."""

_CONNECTIONS = 8
_CONNECT_S = 5
_STATEMENT_S, _DROPPED_S = 30, 900
_GRACE_S = 5
"""The time in seconds after the statement timeout at which a connection is cut. A paused server keeps its
connections open, and libpq would wait for it forever.
"""

_SCANNED = _WRITTEN = 2000
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,50}")
_LOCK = 0x76616465  # "vade"


class PostgresStore:
    """A store of rows in PostgreSQL, 14 or newer, with the extension pgvector, 0.8 or newer.

    Args:
        url: `postgresql://user:password@host:port/database`, with the parameters of libpq, and `schema` if it is not
            `vademecum`. Several hosts are allowed, as in libpq.

    Raises:
        StoreError: The address is invalid.
    """

    def __init__(self, url: str) -> None:
        self.name, self._conninfo, self._schema = _parsed(url)
        self._options: dict[str, Any] = {
            "connect_timeout": _CONNECT_S,
            "options": f"-c search_path={self._schema},public -c statement_timeout={1000 * _STATEMENT_S}",
            "application_name": "vademecum",
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            "keepalives_count": 3,
            "tcp_user_timeout": 1000 * _STATEMENT_S,
        }
        self._pool: ConnectionPool | None = None
        self._preparing = Lock()

    def write(self, segment: str, kind: Kind, rows: Iterable[Row]) -> None:
        """See `core.stores.Store`."""
        for batch in batches(rows, _WRITTEN):
            with self._connection() as connection, connection.cursor() as cursor:
                self._write(cursor, segment, kind, batch)

    def _write(self, cursor: "psycopg.Cursor[Any]", segment: str, kind: Kind, batch: Iterable[Row]) -> None:
        table = sql.Identifier(kind)
        cursor.execute(
            sql.SQL("CREATE TEMP TABLE written (LIKE {} INCLUDING DEFAULTS) ON COMMIT DROP").format(table)
        )
        with cursor.copy("COPY written (segment, key, fields, data, vector) FROM STDIN") as copy:
            for row in batch:
                vector = _vector(row.vector) if row.vector else None
                copy.write_row((segment, row.key, Jsonb(dict(row.fields)), row.data, vector))
        cursor.execute(
            sql.SQL(
                "INSERT INTO {} SELECT * FROM written ON CONFLICT (segment, key)"
                " DO UPDATE SET fields = excluded.fields, data = excluded.data, vector = excluded.vector"
            ).format(table)
        )

    def rows(self, segment: str, kind: Kind, keys: Collection[int]) -> dict[int, Row]:
        """See `core.stores.Store`."""
        if not keys:
            return {}
        query = sql.SQL("SELECT key, fields, data FROM {} WHERE segment = %s AND key = ANY(%s)")
        with self._connection() as connection:
            found = connection.execute(query.format(sql.Identifier(kind)), (segment, list(keys)))
            return {values[0]: Row(*values) for values in found}

    def scan(self, segment: str, kind: Kind) -> Iterator[Row]:
        """See `core.stores.Store`."""
        query = sql.SQL(
            "SELECT key, fields, data FROM {} WHERE segment = %s AND key > %s ORDER BY key LIMIT %s"
        ).format(sql.Identifier(kind))
        last = -1
        while True:
            with self._connection() as connection:
                found = [Row(*values) for values in connection.execute(query, (segment, last, _SCANNED))]
            yield from found
            if len(found) < _SCANNED:
                return
            last = found[-1].key

    def nearest(self, segment: str, kind: Kind, vector: Sequence[float], limit: int) -> list[int]:
        """See `core.stores.Store`."""
        if limit < 1 or not any(vector):
            return []
        query = sql.SQL(
            "SELECT key FROM {} WHERE segment = %s AND vector_dims(vector) = %s "
            "ORDER BY vector <#> %s::vector, key LIMIT %s"
        ).format(sql.Identifier(kind))
        with self._connection() as connection:
            found = connection.execute(query, (segment, len(vector), _vector(vector), limit))
            return [key for (key,) in found]

    def segments(self) -> set[str]:
        """See `core.stores.Store`."""
        with self._connection() as connection:
            found: set[str] = set()
            for kind in KINDS:
                names = connection.execute(sql.SQL(_SEGMENTS).format(table=sql.Identifier(kind)))
                found.update(segment for (segment,) in names)
        return found

    def drop(self, segment: str) -> None:
        """See `core.stores.Store`."""
        with self._connection(_DROPPED_S) as connection:
            connection.execute(
                sql.SQL("SET LOCAL statement_timeout = {}").format(sql.Literal(1000 * _DROPPED_S))
            )
            for kind in KINDS:
                connection.execute(
                    sql.SQL("DELETE FROM {} WHERE segment = %s").format(sql.Identifier(kind)), (segment,)
                )

    def current(self) -> Published | None:
        """See `core.stores.Store`."""
        with self._connection() as connection:
            found = connection.execute("SELECT number, manifest FROM current").fetchone()
        return Published(*found) if found else None

    def publish(self, generation: Published, *, replaces: int) -> None:
        """See `core.stores.Store`."""
        with self._connection() as connection:
            connection.execute("LOCK TABLE current IN EXCLUSIVE MODE")
            found = connection.execute("SELECT number FROM current").fetchone()
            if (found[0] if found else 0) != replaces:
                message = f"Another process has published an index in {self.name} meanwhile."
                raise IndexLocked(message, hint="Run it again: it starts from the newer index.")
            connection.execute("DELETE FROM current")
            connection.execute("INSERT INTO current (number, manifest) VALUES (%s, %s)", generation)

    def check(self) -> list[str]:
        """See `core.stores.Store`."""
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM current")
        return []

    def close(self) -> None:
        """See `core.stores.Store`."""
        with self._preparing:
            pool, self._pool = self._pool, None
        if pool:
            pool.close(timeout=0)

    @contextmanager
    def _connection(self, limit_s: int = _STATEMENT_S) -> Iterator["psycopg.Connection[Any]"]:
        """Yield a connection within a transaction with a time limit. Its errors are raised as `StoreError`."""
        pool: ConnectionPool | None = None
        try:
            with ExitStack() as stack:
                pool = self._opened()
                try:
                    connection = stack.enter_context(pool.connection())
                except PoolClosed:  # another thread closed it in the meantime; nothing was sent yet
                    pool = self._opened()
                    connection = stack.enter_context(pool.connection())
                stack.enter_context(_watched(connection, limit_s))
                stack.enter_context(connection.transaction())  # so that the commit is watched, too
                yield connection
        except (psycopg.Error, PoolTimeout) as error:
            # no SQLSTATE means that the connection failed: the whole pool is suspect, but not a newer pool
            if pool and pool is self._pool and not getattr(error, "sqlstate", None):
                self.close()
            raise self._failed(error) from error

    def _opened(self) -> "ConnectionPool":
        """Return the connection pool.

        Before it is created, a single connection is opened, whose errors give the cause of a failure.
        """
        with self._preparing:
            if self._pool is None:
                with (
                    psycopg.connect(self._conninfo, **self._options) as connection,
                    _watched(connection, _STATEMENT_S),
                    connection.transaction(),
                ):
                    self._prepare(connection)
                self._pool = ConnectionPool(
                    self._conninfo,
                    kwargs=self._options,
                    min_size=0,
                    max_size=_CONNECTIONS,
                    timeout=2 * _CONNECT_S,
                    open=True,
                    check=_alive,
                    reconnect_timeout=_CONNECT_S,
                )
            return self._pool

    def _prepare(self, connection: "psycopg.Connection[Any]") -> None:
        """Create the tables, or check that they have this version."""
        schema = sql.Identifier(self._schema)
        place = f"{self._schema}.version"
        if connection.execute("SELECT to_regclass(%s) IS NULL", (place,)).fetchone() == (True,):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
            connection.execute("CREATE TABLE IF NOT EXISTS version (number integer NOT NULL)")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS current (number bigint NOT NULL, manifest text NOT NULL)"
            )
            for kind in KINDS:
                connection.execute(
                    sql.SQL(
                        "CREATE TABLE IF NOT EXISTS {} (segment text NOT NULL, key bigint NOT NULL,"
                        " fields jsonb NOT NULL, data bytea NOT NULL, vector vector, PRIMARY KEY (segment, key))"
                    ).format(sql.Identifier(kind))
                )
            connection.execute(
                "INSERT INTO version SELECT %s WHERE NOT EXISTS (SELECT FROM version)", (_VERSION,)
            )
        found = connection.execute("SELECT number FROM version").fetchone()
        if found == (1,):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            names = connection.execute(_NEAR_INDEXES, (self._schema,)).fetchall()
            for (name,) in names:
                connection.execute(sql.SQL("DROP INDEX IF EXISTS {}.{}").format(schema, sql.Identifier(name)))
            connection.execute("UPDATE version SET number = 2")
            found = (2,)
        if found != (_VERSION,):
            message = f"The tables of {self.name} are of version {found[0] if found else 'none'}; this program knows {_VERSION}."
            raise StoreError(
                message, hint="Use the same version of Vademecum on all machines, or another schema."
            )

    def _failed(self, error: Exception) -> StoreError:
        if isinstance(error, PoolTimeout):
            message = f"{self.name} cannot be reached within {_CONNECT_S} s."
            return StoreError(message, hint=_UNREACHED)
        state = getattr(error, "sqlstate", None)
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = _HINTS.get(state or "", "Check the server's log." if state else _UNREACHED)
        return StoreError(f"{self.name}: {reason}", hint=hint)


_NEAR_INDEXES = "SELECT indexname FROM pg_indexes WHERE schemaname = %s AND indexdef LIKE '%%hnsw%%'"

_SEGMENTS = """
WITH RECURSIVE found AS (
    (SELECT segment FROM {table} ORDER BY segment LIMIT 1)
    UNION ALL
    SELECT (SELECT segment FROM {table} WHERE segment > found.segment ORDER BY segment LIMIT 1)
    FROM found WHERE found.segment IS NOT NULL
)
SELECT segment FROM found WHERE segment IS NOT NULL
"""
"""A query that takes one index step per segment; `SELECT DISTINCT` would read every row."""

_ADDRESS = (
    "Write ragadmin.store as postgresql://user@host:5432/database. "
    "Signs in a password are percent-encoded; ~/.pgpass takes it as it is."
)
_UNREACHED = "Check that the server runs, and the address, user and password of ragadmin.store."
_HINTS = {
    "53100": "The server's disk is full. Free some space there, and run it again.",
    "42501": "The user may not do this. Grant it CREATE on the database, or make the schema yourself.",
    "0A000": "The extension pgvector is not installed on the server.",
    "58P01": "The extension pgvector is not installed on the server.",
    "57014": f"The server took longer than {_STATEMENT_S} s for one statement.",
    "25006": "The server is a standby: writing needs the primary.",
}


def _parsed(url: str) -> tuple[str, str, str]:
    """Return the location in an address without secrets, the connection string for libpq, and the schema.

    Errors do not quote the messages of libpq, which may contain parts of the password.
    """
    schema = "vademecum"
    try:
        parts = urlsplit(url)
        parameters = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        schema = parameters.pop("schema", schema)
        conninfo = urlunsplit(parts._replace(query=urlencode(parameters, quote_via=quote)))
        ports = str(conninfo_to_dict(conninfo).get("port", ""))
        place = f"postgres://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except (ValueError, psycopg.Error):
        conninfo = ports = place = ""
    if not conninfo or "\0" in url or not all(map(str.isdecimal, filter(None, ports.split(",")))):
        raise StoreError("The address of the PostgreSQL database cannot be read.", hint=_ADDRESS)
    if not _SCHEMA.fullmatch(schema):
        message = "The schema in the address of the PostgreSQL database is not a plain name."
        raise StoreError(message, hint="Use small letters, digits and _, as in ?schema=vademecum")
    return place, conninfo, schema


@contextmanager
def _watched(connection: "psycopg.Connection[Any]", limit_s: float) -> Iterator[None]:
    """Cut the connection if the server has not answered within this time and a grace period."""

    def cut() -> None:
        with suppress(OSError, psycopg.Error), socket(fileno=dup(connection.fileno())) as ours:
            ours.shutdown(SHUT_RDWR)

    timer = Timer(limit_s + _GRACE_S, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _alive(connection: "psycopg.Connection[Any]") -> None:
    """Check that a connection of the pool is still usable."""
    with _watched(connection, 0):
        ConnectionPool.check_connection(connection)


def _vector(vector: Sequence[float]) -> str:
    return f"[{','.join(map(repr, vector))}]"
