"""The rows of `quick`: what fits into four minutes, for continuous integration."""

ROWS = ()
