"""The rows, with a file for each thing that workstations do. Every module of this folder is imported."""
