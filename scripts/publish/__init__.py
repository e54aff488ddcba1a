"""A release: what must be true before, its packages, its files, its repository for apt, and who has signed them."""
