"""A server and workstations on one virtual network, each a separate Debian."""
