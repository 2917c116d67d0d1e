"""The PostgreSQL engine: a table for each kind of object, and postings with our weights, which one statement adds up.

The tables are in their own schema, `vademecum` or the one that the address names (`?schema=`). The full-text search of
PostgreSQL has no inverse document frequency: on 75,000 passages it was 30 times slower than these postings, and found
fewer of the right passages. Vectors are compared exactly.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from logging import NullHandler, getLogger
from os import dup
from socket import SHUT_RDWR, socket
from threading import Lock, Timer
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from vademecum.core.engines import FIELDS, Described, Item, Kind, Published, Query, Record, Wanted, id_of
from vademecum.core.errors import StoreError
from vademecum.stores import objects

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
    from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
except ImportError as error:
    message = f"PostgreSQL needs the extra postgres ({error.name} is not installed)."
    raise StoreError(message, hint="Install it with: pip install 'vademecum[postgres]'") from error

getLogger("psycopg.pool").addHandler(NullHandler())  # its messages are also raised as errors
_VERSION = 4
"""The version of the tables. Older ones had other tables."""

_CONNECTIONS = 8
_CONNECT_S = 5
_STATEMENT_S, _SWEPT_S = 30, 900
_GRACE_S = 5
"""The time in seconds after the statement timeout at which a connection is cut. A paused server keeps its
connections open, and libpq would wait for it forever.
"""

_WRITTEN = 1000
_AMPLE = 5
"""How many times the wanted number of the best hits are checked for their generation; if too few pass, all hits are."""

_ALL = 1 << 30
_OURS = re.compile(
    r"version|current|(?:document|passage|words|posting)(?:_\d+)?"
    r"|(?:document|need)_vector|text|need|name|(?:page|passage|need)_words|table"
)
"""The names of the tables of this version and of older ones."""

_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,50}")
_LOCK = 0x76616465  # "vade"


class PostgresEngine:
    """An engine in PostgreSQL, 14 or newer, with the extension pgvector, 0.8 or newer.

    Args:
        url: `postgresql://user:password@host:port/database`, with the parameters of libpq, and `schema` if it is not
            `vademecum`. Several hosts are allowed, as in libpq.
    """

    def __init__(self, url: str) -> None:
        self.name, self._conninfo, self._schema = _parsed(url)
        self.epoch, self.by_tokens = 1, False
        self._options: dict[str, Any] = {
            "autocommit": True,
            "connect_timeout": _CONNECT_S,
            "options": f"-c search_path={self._schema},public -c statement_timeout={1000 * _STATEMENT_S} -c jit=off",
            "application_name": "vademecum",
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            "keepalives_count": 3,
            "tcp_user_timeout": 1000 * _STATEMENT_S,
        }
        self._pool: ConnectionPool | None = None
        self._preparing = Lock()
        self._made: set[int] = set()
        self.frequencies = objects.Frequencies(self.read).of

    def write(self, generation: int, items: Iterable[Item]) -> None:
        """See `core.engines.Engine`."""
        for batch in objects.batches(items, _WRITTEN):
            by_kind: dict[Kind, dict[str, Item]] = defaultdict(dict)
            for item in batch:
                by_kind[item.kind][item.key] = item
            with self._connection() as connection, connection.cursor() as cursor:
                aliases = {item.key.partition(":")[0] for item in batch}
                for alias in sorted(aliases):  # others may write the same
                    cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (_LOCK, alias))
                self._make(connection)
                for kind, of_kind in by_kind.items():
                    self._write(cursor, generation, kind, of_kind)

    def _write(
        self, cursor: "psycopg.Cursor[Any]", generation: int, kind: Kind, items: Mapping[str, Item]
    ) -> None:
        ids = [id_of(key) for key in items]
        cursor.execute(self._sql("DELETE FROM {table} WHERE id = ANY(%s::uuid[])", kind), (ids,))
        found = cursor.execute("SELECT nextval('item') FROM generate_series(1, %s)", (len(ids),))
        numbers = [number for (number,) in found]
        with cursor.copy(self._sql("COPY {table} (n, id, {fields}, vector) FROM STDIN", kind)) as copy:
            for number, item in zip(numbers, items.values(), strict=True):
                fields = objects.printable_fields(item, generation).values()
                copy.write_row(
                    (number, id_of(item.key), *fields, _vector(item.vector) if item.vector else None)
                )
        postings: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, item in zip(numbers, items.values(), strict=True):
            for term, weight in zip(*item.weights, strict=True):
                postings[term].append((number, weight))
        with cursor.copy(self._sql("COPY {posting} FROM STDIN")) as copy:
            copy.set_types(["int8", "int4[]", "int2[]"])
            for term, pairs in postings.items():
                copy.write_row((term, *map(list, zip(*pairs, strict=True))))

    def remove(self, generation: int, kind: Kind, keys: Collection[str]) -> None:
        """See `core.engines.Engine`."""
        statement = "UPDATE {table} SET removed = %s WHERE {field} = ANY(%s) AND removed = 0"
        with self._connection() as connection:
            self._make(connection)
            if kind == "document":
                connection.execute(
                    self._sql(statement, "passage", field="document"), (generation, list(keys))
                )
            connection.execute(self._sql(statement, kind, field="key"), (generation, list(keys)))

    def find(self, query: Query) -> list[Item]:
        """See `core.engines.Engine`."""
        if query.searches or query.vector:
            found = self._found(query, _AMPLE)
            wanted = max((search.limit for search in query.searches), default=0)
            return found if len(found) >= wanted else self._found(query, _ALL)
        where, values = _where(query)
        statement = (
            "SELECT {listed} FROM {table} WHERE key > %(after)s AND {where} ORDER BY key LIMIT %(limit)s"
        )
        made = self._sql(
            statement,
            query.kind,
            listed=", ".join(map(_quoted, objects.short_fields(query.kind))),
            where=where,
        )
        return self._items(query.kind, made, {**values, "after": query.after, "limit": query.limit})

    def _found(self, query: Query, ample: int) -> list[Item]:
        """Return what a query finds, of each search among the best `ample` times as many hits as wanted."""
        where, values = _where(query)
        rows = [
            (place, term, weight)
            for place, search in enumerate(query.searches, 1)
            for term, weight in search.terms.items()
        ]
        values |= {name: [row[at] for row in rows] for at, name in enumerate(("search", "term", "weight"))}
        values["wanted"] = [search.limit for search in query.searches]
        values["ample"] = [min(_ALL, search.limit * ample) for search in query.searches]
        if query.vector:
            values |= {"vector": _vector(query.vector), "nearest": query.nearest, "length": len(query.vector)}
        near = _NEAR if query.nearest else ""
        statement = _FIND.replace("{near}", near).replace("{cosine}", _COSINE if query.vector else "")
        return self._items(query.kind, self._sql(statement, query.kind, where=where), values)

    def records(
        self, of: Described, words: Sequence[Wanted], vector: Sequence[float], limit: int
    ) -> list[Record]:
        """See `core.engines.Records`. Words are weighed here, since the server's full-text search does not know rare ones."""
        column, *path = of.text.split(".")
        field = of.vector or "embedding"
        parts: dict[str, sql.Composable] = {
            "table": sql.Identifier(*of.collection.split(".")),
            "text": sql.SQL("t.{} #>> {}").format(sql.Identifier(column), path)
            if path
            else sql.Identifier("t", column),
            "near": sql.SQL("t.{} <=> %(vector)s::vector").format(sql.Identifier(field)),
        }
        parts["cosine"] = sql.SQL("1 - ({})").format(parts["near"]) if vector else sql.NULL
        orders = [_RANKED_BY_WORDS] if words else []
        orders += ["ORDER BY {near}"] if vector else []
        values = {
            "words": [word.forms[0] for word in words],
            "weights": [word.weight for word in words],
            "vector": _vector(vector),
            "field": field,
            "limit": limit,
        }
        found: dict[str, Record] = {}
        with self._reported(), psycopg.connect(self._conninfo, **self._options) as connection:
            for order in orders or [""]:
                statement = sql.SQL(f"{_RECORDS} {order} LIMIT %(limit)s").format(**parts)
                with _watched(connection, _STATEMENT_S):
                    for fields, cosine in connection.execute(statement, values):
                        number = str(fields.get("id", fields))
                        found[number] = Record(number, fields, cosine)
        return list(found.values())

    def read(self, kind: Kind, keys: Collection[str]) -> dict[str, Item]:
        """See `core.engines.Engine`."""
        statement = self._sql("SELECT {fields} FROM {table} WHERE id = ANY(%(ids)s::uuid[])", kind)
        found = self._items(kind, statement, {"ids": list(map(id_of, keys))}) if keys else ()
        return {item.key: item for item in found}

    def _items(self, kind: Kind, statement: bytes, values: Mapping[str, object]) -> list[Item]:
        names, rows = self._rows(statement, values, is_of_epoch=True)
        return [objects.item_of(kind, dict(zip(names, row, strict=True)), self.name) for row in rows]

    def _rows(
        self, statement: bytes, values: Mapping[str, object], *, is_of_epoch: bool = False
    ) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the columns and rows of a query. It is repeated once if the connection was lost while it was idle."""
        for last in (False, True):
            try:
                with self._connection(writes=False) as connection, connection.cursor(binary=True) as cursor:
                    if is_of_epoch and self.epoch not in self._made:
                        with connection.transaction():
                            self._make(connection)
                    found = cursor.execute(statement, values)
                    return [column.name for column in found.description or ()], found.fetchall()
            except StoreError:
                if last or self._pool:
                    raise
        raise AssertionError

    def current(self) -> Published | None:
        """See `core.engines.Engine`."""
        _, found = self._rows(b"SELECT number, epoch, manifest FROM current", {})
        return Published(*found[0]) if found else None

    def publish(self, published: Published, *, replaces: int) -> None:
        """See `core.engines.Engine`."""
        with self._connection() as connection:
            connection.execute("LOCK TABLE current IN EXCLUSIVE MODE")
            found = connection.execute("SELECT number FROM current").fetchone()
            if (found[0] if found else 0) != replaces:
                raise objects.overtaken(self.name)
            connection.execute("DELETE FROM current")
            connection.execute("INSERT INTO current VALUES (%s, %s, %s)", published)
        self.epoch = published.epoch
        with self._connection(_SWEPT_S) as connection:
            self._sweep(connection, published.number)

    def _sweep(self, connection: "psycopg.Connection[Any]", generation: int) -> None:
        """Delete what neither a generation nor the one before it has, and older collections."""
        connection.execute("SELECT set_config('statement_timeout', %s, true)", (str(1000 * _SWEPT_S),))
        self._make(connection)
        gone = 0
        for kind in FIELDS:
            statement = self._sql("DELETE FROM {table} WHERE removed BETWEEN 1 AND %s", kind)
            gone += connection.execute(statement, (generation - 1,)).rowcount
        if gone and connection.execute(self._sql(_STALENESS)).fetchone() == (True,):
            connection.execute(self._sql(_REWRITE))
        for epoch in range(1, self.epoch - 1):
            for part in (*FIELDS, "posting"):
                connection.execute(f"DROP TABLE IF EXISTS {_named(part, epoch)}".encode())

    def clear(self) -> None:
        """See `core.engines.Engine`."""
        self.close()
        with self._reported(), psycopg.connect(self._conninfo, **self._options) as connection:
            tables = "SELECT tablename FROM pg_tables WHERE schemaname = %s"
            for (name,) in connection.execute(tables, (self._schema,)).fetchall():
                if _OURS.fullmatch(name):
                    connection.execute(f'DROP TABLE {self._schema}."{name}"'.encode())
            connection.execute(f"DROP SEQUENCE IF EXISTS {self._schema}.item".encode())
        self._made.clear()

    def check(self) -> list[str]:
        """See `core.engines.Engine`."""
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM current")
        return []

    def close(self) -> None:
        """See `core.engines.Engine`."""
        with self._preparing:
            pool, self._pool = self._pool, None
        if pool:
            pool.close(timeout=0)

    @contextmanager
    def _connection(
        self, limit_s: int = _STATEMENT_S, *, writes: bool = True
    ) -> Iterator["psycopg.Connection[Any]"]:
        """Yield a connection with a time limit, for writes within a transaction. Its errors are raised as `StoreError`."""
        with self._reported(), ExitStack() as stack:
            pool = self._opened()
            try:
                connection = stack.enter_context(pool.connection())
            except PoolClosed:  # another thread closed it in the meantime; nothing was sent yet
                pool = self._opened()
                connection = stack.enter_context(pool.connection())
            stack.enter_context(_watched(connection, limit_s))
            if writes:
                stack.enter_context(connection.transaction())  # so that the commit is watched, too
            yield connection

    @contextmanager
    def _reported(self) -> Iterator[None]:
        pool = self._pool
        try:
            yield
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
                    reconnect_timeout=_CONNECT_S,
                )
            return self._pool

    def _prepare(self, connection: "psycopg.Connection[Any]") -> None:
        """Create the schema, or check that it has this version."""
        place = f"{self._schema}.version"
        if connection.execute("SELECT to_regclass(%s) IS NULL", (place,)).fetchone() == (True,):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            connection.execute(_SCHEMA_MADE.format(schema=self._schema, version=_VERSION).encode())
        found = connection.execute("SELECT number FROM version").fetchone()
        if found != (_VERSION,):
            message = f"The tables of {self.name} are of version {found[0] if found else 'none'}; this program knows {_VERSION}."
            hint = "Delete it, and write this machine's index there: vademecum store migrate --to URL --replace; or name another ?schema="
            raise StoreError(message, hint=hint)

    def _make(self, connection: "psycopg.Connection[Any]") -> None:
        """Create the tables of the epoch, if they are missing. Readers may lack the right to create any."""
        if self.epoch in self._made:
            return
        last = f'{self._schema}."{_named("posting", self.epoch)}"'
        if connection.execute("SELECT to_regclass(%s) IS NULL", (last,)).fetchone() == (True,):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            for kind, fields in FIELDS.items():
                columns = ", ".join(
                    f"{_quoted(name)} {'integer' if of == 'number' else 'text'} NOT NULL"
                    for name, of in fields.items()
                )
                connection.execute(self._sql(_TABLE, kind, columns=columns))
                for field in ("key", "removed", *(("document",) if kind == "passage" else ())):
                    connection.execute(
                        self._sql(
                            "CREATE INDEX IF NOT EXISTS {table}_{field} ON {table} ({field})",
                            kind,
                            field=field,
                        )
                    )
            connection.execute(self._sql(_POSTINGS))
        self._made.add(self.epoch)

    def _sql(self, statement: str, kind: str = "passage", **parts: str) -> bytes:
        """Return a statement with the names of the tables of the epoch, and the fields of a kind."""
        tables = {part: _named(part, self.epoch) for part in ("passage", "posting")}
        fields = ", ".join(map(_quoted, FIELDS[kind]))  # type: ignore[index] # of these kinds
        where = parts.pop("where", "")
        return (
            statement.replace("{where}", where)
            .format(table=_named(kind, self.epoch), fields=fields, **tables, **parts)
            .encode()
        )

    def _failed(self, error: Exception) -> StoreError:
        if isinstance(error, PoolTimeout):
            message = f"{self.name} cannot be reached within {_CONNECT_S} s."
            return StoreError(message, hint=objects.UNREACHED)
        state = getattr(error, "sqlstate", None)
        hint = _HINTS.get(state or "", objects.SEE_LOG if state else objects.UNREACHED)
        return objects.failed(self.name, error, hint)


_SCHEMA_MADE = """
CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS version (number integer NOT NULL);
CREATE TABLE IF NOT EXISTS current (number integer NOT NULL, epoch integer NOT NULL, manifest text NOT NULL);
CREATE SEQUENCE IF NOT EXISTS item AS integer;
INSERT INTO version SELECT {version} WHERE NOT EXISTS (SELECT FROM version)
"""
_TABLE = """
CREATE TABLE IF NOT EXISTS {table} (n integer PRIMARY KEY, id uuid UNIQUE NOT NULL, {columns}, vector vector)
"""
_POSTINGS = """
CREATE TABLE IF NOT EXISTS {posting} (term bigint, ids integer[], weights smallint[]);
CREATE INDEX IF NOT EXISTS {posting}_term ON {posting} (term)
"""
_FIND = """
WITH asked AS (
    SELECT * FROM unnest(%(search)s::integer[], %(term)s::bigint[], %(weight)s::integer[]) AS a (search, term, weight)
), scored AS MATERIALIZED (
    SELECT search, hit.n, sum(hit.weight * asked.weight) AS score
    FROM asked JOIN {posting} USING (term) CROSS JOIN LATERAL unnest(ids, weights) AS hit (n, weight)
    GROUP BY search, hit.n
), chosen AS (
    SELECT seen.n
    FROM unnest(%(wanted)s::integer[], %(ample)s::integer[]) WITH ORDINALITY AS of (wanted, ample, search)
    CROSS JOIN LATERAL (
        SELECT best.n FROM (
            SELECT n, score FROM scored WHERE scored.search = of.search ORDER BY score DESC, n LIMIT of.ample
        ) AS best JOIN {table} USING (n) WHERE {where} ORDER BY best.score DESC, best.n LIMIT of.wanted
    ) AS seen
    {near}
)
SELECT {fields} {cosine} FROM (SELECT DISTINCT n FROM chosen) AS found JOIN {table} USING (n)
"""
_COSINE = ", CASE WHEN vector_dims(vector) = %(length)s THEN -(vector <#> %(vector)s::vector) END AS cosine"
_NEAR = """UNION ALL (
    SELECT n FROM {table}
    WHERE vector_dims(vector) = %(length)s AND {where} ORDER BY vector <#> %(vector)s::vector, n LIMIT %(nearest)s
)"""
_RECORDS = "SELECT to_jsonb(t) - %(field)s::text, {cosine} FROM {table} AS t "
_RANKED_BY_WORDS = """
CROSS JOIN LATERAL (
    SELECT sum(weight) AS score FROM unnest(%(words)s::text[], %(weights)s::float8[]) AS w (word, weight)
    WHERE to_tsvector('english', {text}) @@ plainto_tsquery('english', word)
) AS had
WHERE to_tsvector('english', {text}) @@ (
    SELECT string_agg(query::text, ' | ')::tsquery
    FROM unnest(%(words)s::text[]) AS word, plainto_tsquery('english', word) AS query WHERE numnode(query) > 0
) ORDER BY had.score DESC"""
_STALENESS = """
SELECT 4 * count(*) > 5 * count(kept.n) FROM (SELECT unnest(ids) AS n FROM {posting} LIMIT 1000000) AS hit
LEFT JOIN {passage} AS kept USING (n)
"""
"""A test: more than a fifth of the postings are of passages that are gone."""

_REWRITE = """
UPDATE {posting} SET (ids, weights) = (
    SELECT coalesce(array_agg(n), '{{}}'), coalesce(array_agg(weight), '{{}}')
    FROM unnest(ids, weights) AS hit (n, weight) WHERE EXISTS (SELECT FROM {passage} AS kept WHERE kept.n = hit.n)
)
"""


def _named(part: str, epoch: int) -> str:
    return part if epoch == 1 else f"{part}_{epoch}"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _where(query: Query) -> tuple[str, dict[str, Any]]:
    """Return the condition for the generation and the filters of a query, and its values."""
    conditions, values = ["true"], dict[str, Any](generation=query.generation)
    if query.generation:
        conditions.append("added <= %(generation)s AND (removed = 0 OR removed > %(generation)s)")
    for name, allowed in query.filters.items():
        values[f"is_{name}"] = list(allowed)
        conditions.append(f"{_quoted(name)} = ANY(%(is_{name})s)")
    return " AND ".join(conditions), values


_ADDRESS = (
    "Write ragadmin.store as postgresql://user@host:5432/database. "
    "Signs in a password are percent-encoded; ~/.pgpass takes it as it is."
)
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
        parameters.pop("table", None)
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


def _vector(vector: Sequence[float]) -> str:
    return f"[{','.join(map(repr, vector))}]"
