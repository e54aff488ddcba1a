"""One file for each part that fails."""
