"""Runs a program as if on a kernel without some features: old-kernel.py landlock,seccomp,network PROGRAM [ARGUMENT ...].

Installs a seccomp filter that children inherit. landlock_create_ruleset then fails with ENOSYS, both system calls that start
seccomp fail with ENOSYS and EINVAL, and unshare fails with EPERM. Needs root and x86-64.
"""

import ctypes
import errno
import os
import struct
import sys

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PRCTL, PR_SET_SECCOMP, MODE_FILTER = 157, 22, 2
NUMBER, ARGUMENT = 0, 16

wanted = sys.argv[1].split(",")
code = []


def add(operation, value, otherwise=0):
    code.append(struct.pack("HBBI", operation, 0, otherwise, value))


def refuse(number, error):
    add(EQUAL, number, 1)
    add(RETURN, ERRNO | error)


add(LOAD, NUMBER)
if "landlock" in wanted:
    refuse(444, errno.ENOSYS)
if "network" in wanted:
    refuse(272, errno.EPERM)
if "seccomp" in wanted:
    refuse(317, errno.ENOSYS)
    add(EQUAL, PRCTL, 3)
    add(LOAD, ARGUMENT)
    refuse(PR_SET_SECCOMP, errno.EINVAL)
add(RETURN, ALLOW)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


program = Program(len(code), b"".join(code))
if ctypes.CDLL(None).prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
    raise SystemExit("old-kernel.py: no filter could be set")
os.execvp(sys.argv[2], sys.argv[2:])
