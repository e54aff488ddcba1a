"""The rows of the table, by what is done to the chip. Every module of this folder is imported."""
