"""The rows of the table, by what they attack. Every module of this folder is imported."""
