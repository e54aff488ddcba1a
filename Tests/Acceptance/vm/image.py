"""Makes the image of a machine: the Debian of the suite `packages`, with both packages, a server and people, and a kernel."""

import pathlib
import shutil
import subprocess

HERE = pathlib.Path("Tests/Acceptance")


def of(scene, folder):
    """Makes the image and returns its folder: `disk`, `kernel` and `initrd`."""
    folder.mkdir(parents=True)
    with scene.installed(booted=False) as machine:
        root = machine.root
        _with_agent(root)
        for name, pattern in (("kernel", "vmlinuz-*"), ("initrd", "initrd.img-*")):
            shutil.copy(next((root / "boot").glob(pattern)), folder / name)
        _disk(root, folder / "disk")
    return folder


def _with_agent(root):
    suite = root / "usr/local/lib/suite"
    for package in ("lab", "vm"):
        (suite / package).mkdir(parents=True)
        for file in (HERE / package).glob("*.py"):
            shutil.copy(file, suite / package)
    units = root / "etc/systemd/system"
    shutil.copy(HERE / "vm/agent.service", units)
    (units / "basic.target.wants").mkdir(exist_ok=True)
    (units / "basic.target.wants/agent.service").symlink_to("../agent.service")
    (root / "etc/fstab").write_text("/dev/vda / ext4 rw 0 1\n")
    (root / "etc/hostname").write_text("workstation\n")


def _disk(root, disk):
    """An ext4 with some room to write in; without a journal, because the disk is lost with its machine."""
    with disk.open("wb") as file:
        file.truncate(6 << 30)
    made = ["mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-d", str(root), str(disk)]
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
