// Purpose: Root's configuration file: reading it safely (owner, mode, type, parents), TOML, and every key with its range, refused
// by file, line and key. Imports TOMLKit; no Foundation, no network, no prompts.
