"""The rows of the table, grouped by target. Every module of this folder is imported."""
