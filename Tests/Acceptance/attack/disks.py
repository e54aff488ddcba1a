"""Disks for the state folder: small, full, broken, or without power."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import stat

from lab.machine import STATE
from lab.table import Skip
from lab.waiting import until

_SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
_NO_LOG_FLUSH = 2  # what is not in the journal yet is lost, as in a power failure


class Ext4:
    """A separate ext4 in a file, mounted at the state folder until the row has ended."""

    def __init__(self, lab, mebibytes=16):
        if shutil.which("mkfs.ext4") is None:
            raise Skip("mkfs.ext4 is not there, and its package could not be fetched")
        self._lab = lab
        self._image = pathlib.Path("/tmp/state.ext4")
        with self._image.open("wb") as image:
            image.truncate(mebibytes << 20)
        lab.run("mkfs.ext4", "-q", "-F", "-m", "0", self._image)
        self._device = _loop_device(lab, self._image)
        lab.after(self.remove)
        self.mount()
        STATE.chmod(0o700)
        lab.run("uafctl", "init")

    def mount(self):
        self._lab.run("mount", "-t", "ext4", self._device, STATE)

    def unmount(self):
        # A killed program keeps the disk busy until the kernel has cleaned the process up.
        until(lambda: not self._lab.run("umount", STATE, check=False).returncode, "a disk that nobody uses", seconds=10)

    def cut_power(self):
        """From now on nothing reaches the disk; data that was not synced is lost at the next mount."""
        folder = os.open(STATE, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(folder, _SHUTDOWN, _NO_LOG_FLUSH.to_bytes(4, "little"))
        finally:
            os.close(folder)

    def remove(self):
        """Unmounts the disk if it is still mounted."""
        if self._image.exists():
            self._lab.run("umount", "--lazy", STATE, check=False)
            self._lab.run("losetup", "--detach", self._device, check=False)
            self._image.unlink()


def _loop_device(lab, image):
    for number in range(16):
        path = f"/dev/loop{number}"
        if not os.path.exists(path):
            os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(7, number))
    found = lab.run("losetup", "--find", "--show", image, check=False)
    if found.returncode:
        raise Skip(f"no loop device: {found.stdout.strip()}")
    return found.stdout.strip()


class Memory:
    """A copy of the state folder without the named files, on a memory disk of this size, until the row has ended."""

    def __init__(self, lab, size, dropping=()):
        self._lab = lab
        aside = "/tmp/state.aside"
        os.makedirs(aside, exist_ok=True)
        lab.run("mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "state", aside)
        lab.run("cp", "-a", "--sparse=never", f"{STATE}/.", aside)
        for name in dropping:
            pathlib.Path(aside, name).unlink()
        lab.run("mount", "--move", aside, STATE)
        self._lies_there = True
        lab.after(self.remove)

    def remove(self):
        """Unmounts the disk if it is still mounted."""
        if self._lies_there:
            self._lab.run("umount", "--lazy", STATE)
        self._lies_there = False


class ReadOnly(Memory):
    """The state folder, mounted read-only until the row has ended."""

    def __init__(self, lab):
        self._lab = lab
        lab.run("mount", "--bind", STATE, STATE)
        lab.run("mount", "-o", "remount,bind,ro", STATE)
        self._lies_there = True
        lab.after(self.remove)


def fill(folder=STATE):
    """Writes until no block is left, and removes nothing."""
    with open(pathlib.Path(folder, "filler"), "wb", buffering=0) as filler:
        for size in (1 << 16, 1 << 12, 1 << 9, 1):
            with contextlib.suppress(OSError):
                while filler.write(bytes(size)) == size:
                    continue
