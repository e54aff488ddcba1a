"""The rows, in files by what stands in the way."""
