"""pam_uaf in the hosts that people use, as they use them.

Purpose: to show that sudo, sshd, login, su and a locker prompt, accept and refuse as the documentation says, through terminals
and real libpam. Each row is one function in `rows`, a file for each host. May import the standard library and `lab` alone.
"""
