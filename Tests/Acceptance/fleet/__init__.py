"""A fleet's server: instances behind a proxy, and a store that moves from one machine to another, with nothing lost."""
