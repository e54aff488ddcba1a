"""A directory of people, and a server whose store has them."""
