"""The rows: a login at each party, and what each has to refuse."""
