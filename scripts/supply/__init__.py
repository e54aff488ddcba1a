"""What the programs are made of: read from the linker's maps, the checkouts and scripts/supply/components.toml."""
