"""The rows, a file for each host. Every module of this folder is imported."""
