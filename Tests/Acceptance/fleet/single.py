"""One PostgreSQL without Patroni, for rows that need no failover, and its instances."""

import contextlib
import itertools
import os
import pathlib
import shutil
import signal
import subprocess

from fleet.cluster import DATABASE, ROLE, programs_of_postgresql
from fleet.programs import Program, as_user, descendants, folder, write
from fleet.server import UNLIMITED, Instance
from lab.table import Skip
from lab.waiting import until

HOME = pathlib.Path("/srv/single")
# The last part of each address, in a different network from the fleet's own instances.
PLACES = itertools.count(1)


class Single:
    """A PostgreSQL that a row starts, and that is removed when the row has ended. `size` puts its data on a disk of that many
    MiB."""

    ADDRESS = "127.0.4.1"

    def __init__(self, lab, size=None):
        self._lab, self._instances = lab, []
        self.home = folder(HOME)
        lab.after(self._remove)
        if size:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=755", "single", self.home], check=True)
            folder(self.home)
        self.data = self.home / "data"
        binaries = programs_of_postgresql()
        as_user(binaries / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        rules = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        write(self.data / "pg_hba.conf", rules)
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(
                f"listen_addresses = '{self.ADDRESS}'\nunix_socket_directories = '{self.home}'\nshared_buffers = 16MB\n"
                "min_wal_size = 32MB\nmax_wal_size = 48MB\nautovacuum = off\n"
            )
        self.program = Program("postgres", [binaries / "postgres", "-D", self.data], self.home)
        self.up()
        self.sql(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{lab.cluster.password}'", "postgres")
        self.sql(f"CREATE DATABASE {DATABASE} OWNER {ROLE}", "postgres")

    def up(self):
        self.program.start_if_gone()
        until(self._answers, "PostgreSQL to answer")

    def _answers(self):
        with contextlib.suppress(RuntimeError):
            return self.sql("SELECT 1", "postgres")
        return None

    def sql(self, statement, database=DATABASE):
        command = [programs_of_postgresql() / "psql", "-X", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", self.home, "-U", "postgres", "-d", database, "-c", statement]
        return [line.split("\t") for line in as_user(*command).stdout.splitlines()]

    def empty(self):
        """Empties the database, as it was before an instance used it."""
        self.sql(f"DROP DATABASE {DATABASE} WITH (FORCE)", "postgres")
        self.sql(f"CREATE DATABASE {DATABASE} OWNER {ROLE}", "postgres")

    def down(self):
        """Kills PostgreSQL immediately, with all its child processes."""
        self.program.stop()
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            os.kill(int((self.data / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)

    def freeze(self):
        """Stops every process of PostgreSQL; its connections stay open."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self):
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number):
        for process in descendants(self.program.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    # --- Instances

    def instance(self, clock=None, port=5432, address=None, limits=UNLIMITED):
        """An instance that is not started, with the shared keys; its clock is shifted by this many seconds."""
        number, store = next(PLACES), self._lab.plain_store(f"{address or self.ADDRESS}:{port}")
        before = shifted_clock(clock) if clock else []
        made = Instance(f"one{number}", f"127.0.5.{number}", self._lab.certificates, store, before, limits)
        made.share(self._lab.keys)
        self._instances.append(made)
        return made

    def instances(self, clock=None, **options):
        """Two instances that are not started; the second one's clock is shifted."""
        return [self.instance(**options), self.instance(clock, **options)]

    def serve(self, **options):
        """The same two instances, running."""
        made = self.instances(**options)
        for instance in made:
            instance.start()
        return made

    def stop_instances(self):
        for instance in self._instances:
            instance.program.stop()
        self._instances.clear()

    def _remove(self):
        self.stop_instances()
        self.down()
        if os.path.ismount(self.home):
            subprocess.run(["umount", "--lazy", self.home], check=True)
        shutil.rmtree(self.home)


def shifted_clock(seconds):
    """The command that runs a program with a wrong clock. Its timers are right: they use a different clock.

    Without the program `faketime`, its library would move the environment in memory, and Swift would then find no arguments.
    """
    if shutil.which("faketime") is None:
        raise Skip("Debian's faketime is not there")
    return ["faketime", "-m", "--exclude-monotonic", "-f", f"{seconds}s"]
