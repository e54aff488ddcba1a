"""The rows of `quick`: what fits into four minutes, for continuous integration."""

ROWS = ("F1", "F6", "F7", "F9", "F10", "F13", "F16", "F21", "F22", "F23", "F24", "F25", "F26", "F27")
