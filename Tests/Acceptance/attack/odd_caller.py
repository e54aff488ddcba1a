"""A caller that changes the process state that its children inherit: odd_caller.py UID COMMAND...

Becomes that user, sets everything of prctl(2), personality(2), set_mempolicy(2) and proc(5) that survives exec and needs no
privilege, and executes the command. Leaves out settings that the kernel lacks.
"""

import ctypes
import os
import platform
import sys

# Each wait of the process may end 40 s late. In nanoseconds.
SLACK = 40_000_000_000
PR_SET_DUMPABLE, PR_SET_TIMERSLACK, PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY = 4, 29, 33, 1, 1
PR_SET_THP_DISABLE, PR_SET_MEMORY_MERGE = 41, 67
KEYCTL_JOIN_SESSION_KEYRING, MPOL_BIND = 1, 2
WHOLE_SECONDS, STICKY_TIMEOUTS, SHORT_INODE = 0x2000000, 0x4000000, 0x1000000
CALLS = {"x86_64": (250, 238), "aarch64": (219, 237)}  # keyctl, set_mempolicy


def main(uid, *command):
    libc = ctypes.CDLL(None, use_errno=True)
    if int(uid):
        os.setgroups([])
        os.setgid(int(uid))
        os.setuid(int(uid))
        # The user must own /proc/self, as after the exec of the user's own program.
        libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    for arguments in (
        (PR_SET_TIMERSLACK, SLACK),
        (PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY),
        (PR_SET_THP_DISABLE, 1),
        (PR_SET_MEMORY_MERGE, 1),
    ):
        libc.prctl(arguments[0], *(ctypes.c_ulong(number) for number in (*arguments[1:], 0, 0, 0, 0)[:4]))
    libc.personality(ctypes.c_ulong(WHOLE_SECONDS | STICKY_TIMEOUTS | SHORT_INODE))
    keyctl, set_mempolicy = CALLS.get(platform.machine(), (None, None))
    if keyctl:
        libc.syscall(keyctl, KEYCTL_JOIN_SESSION_KEYRING, b"planted")
        libc.syscall(set_mempolicy, MPOL_BIND, ctypes.byref(ctypes.c_ulong(1)), ctypes.c_ulong(64))
    for name, value in (("oom_score_adj", "1000"), ("coredump_filter", "0x7f")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(value)
    os.execvp(command[0], command)


main(*sys.argv[1:])
