"""The rows, with a file for each thing that is done to a package. Every module of this folder is imported."""
