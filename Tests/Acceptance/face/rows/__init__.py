"""The rows of the table. Every module of this folder is imported."""
