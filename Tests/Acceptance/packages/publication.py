"""A release of this checkout, made by `make release` in a copy of it, of the packages that are built and with throwaway keys."""

import os
import pathlib
import shutil
import subprocess

from lab import release
from lab.table import must

_AS_SOMEBODY = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false")
# The files from which SwiftPM's versions are read; they are made by the build.
_RESOLVED = ("Package.resolved", ".build/workspace-state.json", "Server/Package.resolved", "Server/.build/workspace-state.json")


def git(folder, *arguments):
    """The output of git in a folder, whoever owns that folder."""
    command = ["git", "-C", folder, "-c", "safe.directory=*", *_AS_SOMEBODY, *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def ssh_key(file):
    """A new OpenSSH key."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "throw-away", "-f", file], check=True)
    return file


class Publication:
    """A copy of the checkout that is one commit, with its keys and, once `make` was called, its release."""

    def __init__(self, folder, archives, version):
        self.checkout, self.version = folder / "checkout", version.partition("~")[0]
        self.checkout.mkdir(parents=True)
        self._gpg = folder / "gpg"
        self._gpg.mkdir(mode=0o700)
        self._copy_sources()
        self._copy_built(archives)
        self.key = ssh_key(folder / "signs")
        self.repository_key = self.openpgp_key("releases")

    @property
    def folder(self):
        """Where the release is, if there is one."""
        return self.checkout / "build/release" / self.version

    def _copy_sources(self):
        """The files that git would commit here, as they are now, in one commit, with the coming changes as the version's."""
        listed = git(pathlib.Path.cwd(), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        names = [name for name in listed.split("\0") if name and os.path.lexists(name)]
        subprocess.run(
            ["xargs", "-0", "cp", "-a", "--parents", "-t", self.checkout], check=True, text=True, input="\0".join(names)
        )
        changes = self.checkout / "CHANGELOG.md"
        text = changes.read_text()
        heading = next(line for line in text.splitlines() if line.startswith(f"## [{self.version}] - "))
        if "## [Unreleased]\n" in text:
            changes.write_text(text.replace(heading + "\n", "").replace("## [Unreleased]", heading))
        git(self.checkout, "init", "--quiet")
        git(self.checkout, "add", "--all")
        git(self.checkout, "commit", "--quiet", "--message", "As it is")

    def _copy_built(self, archives):
        """The packages, as if they had been built in the copy: nothing that they are made from is newer."""
        for name in _RESOLVED:
            (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, self.checkout / name)
        packages = self.checkout / "build/packages"
        packages.mkdir(parents=True)
        (self.checkout / "build/stage.prefix").write_text("/usr\n")
        for archive in archives.values():
            shutil.copy(archive, packages)
        self.is_built()

    def is_built(self):
        """Makes the packages newer than every source, so that no row builds anything."""
        (self.checkout / "build/stage.stamp").touch()
        (self.checkout / "build/packages/made").touch()

    def openpgp_key(self, name):
        """The fingerprint of a new OpenPGP key in the keyring of the release."""
        self.gpg("--passphrase", "", "--quick-generate-key", f"{name} <{name}@example.org>", "ed25519", "sign", "never")
        listed = self.gpg("--with-colons", "--list-secret-keys", name)
        return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))

    def gpg(self, *arguments):
        command = ["gpg", "--batch", "--quiet", *arguments]
        done = subprocess.run(command, check=True, text=True, capture_output=True, env=os.environ | {"GNUPGHOME": str(self._gpg)})
        return done.stdout

    def ask(self, key="", repository_key="", distributions=None, tools=None):
        """Calls `make release`; returns status, output and errors. Programs in the folder `tools` take the place of others."""
        words = f"KEY={key}", f"REPOSITORY_KEY={repository_key}", f"DISTS={distributions or release.name()}"
        path = f"{tools}:{os.environ['PATH']}" if tools else os.environ["PATH"]
        environment = os.environ | {"GNUPGHOME": str(self._gpg), "PATH": path, "HOME": "/nonexistent"}
        environment |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        command = ["make", "--silent", "-C", self.checkout, "release", *words]
        done = subprocess.run(command, check=False, text=True, capture_output=True, stdin=subprocess.DEVNULL, env=environment)
        # make adds a line that the recipe has failed.
        errors = [line for line in done.stderr.splitlines() if not line.startswith("make: ")]
        return done.returncode, done.stdout, errors

    def make(self):
        """Makes the release, signed with both keys."""
        status, said, errors = self.ask(self.key, self.repository_key)
        must(status == 0 and self.folder.is_dir(), f"make release ended with {status}: {said[-600:]} {errors}")
        return self

    def files(self):
        """What every file is that a refused release might have changed: its size and the time of its last change."""
        found = {}
        for file in sorted(self.checkout.rglob("*")):
            if ".git" not in file.relative_to(self.checkout).parts:
                status = file.lstat()
                found[str(file.relative_to(self.checkout))] = (status.st_size, status.st_mtime_ns)
        return found
