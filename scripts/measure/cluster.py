"""PostgreSQL for the server's benchmark: one cluster as long as the bench runs, and a database for each store."""

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from measure import flushes

ROOT = Path(__file__).resolve().parents[2]
# The return types of libpq's functions.
_CONNECTION_OK, _COMMAND_OK, _TUPLES_OK, _COPY_IN = 0, 1, 2, 4
_ROWS = 10_000


def _libpq():
    library = ctypes.CDLL("libpq.so.5")
    for name in ("PQconnectdb", "PQexec", "PQgetResult"):
        getattr(library, name).restype = ctypes.c_void_p
    for name in ("PQerrorMessage", "PQgetvalue"):
        getattr(library, name).restype = ctypes.c_char_p
    return library


class Connection:
    """One connection, through the library that the server uses, too: the machine may have no psql."""

    def __init__(self, url):
        self.library = _libpq()
        self.handle = ctypes.c_void_p(self.library.PQconnectdb(url.encode()))
        self._require(self.library.PQstatus(self.handle) == _CONNECTION_OK)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.PQfinish(self.handle)

    def _require(self, is_right):
        if not is_right:
            raise SystemExit(f"bench: PostgreSQL: {self.library.PQerrorMessage(self.handle).decode()}")

    def _end(self, result, status):
        result = ctypes.c_void_p(result)
        is_right = self.library.PQresultStatus(result) == status
        self.library.PQclear(result)
        self._require(is_right)

    def execute(self, sql):
        self._end(self.library.PQexec(self.handle, sql.encode()), _COMMAND_OK)

    def value(self, sql):
        """The text of the first column of the first row."""
        result = ctypes.c_void_p(self.library.PQexec(self.handle, sql.encode()))
        self._require(self.library.PQresultStatus(result) == _TUPLES_OK)
        text = self.library.PQgetvalue(result, 0, 0).decode()
        self.library.PQclear(result)
        return text

    def copy(self, table, columns, rows):
        """Adds rows; bytes become bytea."""
        self._end(self.library.PQexec(self.handle, f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()), _COPY_IN)
        lines = ("\t".join(rf"\\x{value.hex()}" if isinstance(value, bytes) else str(value) for value in row) for row in rows)
        while block := [line for _, line in zip(range(_ROWS), lines)]:
            data = ("\n".join(block) + "\n").encode()
            self._require(self.library.PQputCopyData(self.handle, data, len(data)) == 1)
        self._require(self.library.PQputCopyEnd(self.handle, None) == 1)
        self._end(self.library.PQgetResult(self.handle), _COMMAND_OK)
        self.library.PQgetResult(self.handle)


class Cluster:
    """A separate cluster, which ends with the bench; each flush to the disk takes this much longer."""

    def __init__(self, flush_us=0):
        command = [str(ROOT / "scripts/postgresql.sh"), "run"]
        environment = dict(os.environ)
        # Its programs run as a user who cannot read the folder in which the library was built.
        self.library = tempfile.TemporaryDirectory(prefix="bench-library.")
        if flush_us:
            os.chmod(self.library.name, 0o755)
            shutil.copy(ROOT / "build/bench" / flushes.LIBRARY, self.library.name)
            environment |= flushes.slowed(self.library.name, flush_us)
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        self.folder = self.process.stdout.readline().strip()
        try:
            self._check(flush_us)
        except SystemExit:
            self.stop()
            raise
        self.count = 0

    def _check(self, flush_us):
        if not self.folder:
            raise SystemExit("bench: there is no PostgreSQL: see above why")
        if flush_us:
            flushes.require_slowed((Path(self.folder) / "data/postmaster.pid").read_text().split()[0])

    def url(self, database):
        return f"postgresql:///{database}?host={self.folder}&user=postgres"

    def new_database(self):
        """The address of a new, empty database."""
        self.count += 1
        with Connection(self.url("postgres")) as connection:
            connection.execute(f"CREATE DATABASE bench{self.count}")
        return self.url(f"bench{self.count}")

    def stop(self):
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()
        self.library.cleanup()
