"""One file for each subject."""
