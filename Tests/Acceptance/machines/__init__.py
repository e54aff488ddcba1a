"""A server and workstations on one virtual network, each a Debian of its own."""
