"""One file for each kind of visitor."""
