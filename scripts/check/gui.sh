#!/bin/bash
# Tests what uafctl-gui decides (Tests/GUI): no screen and no toolkit are needed. `make test-desktop` tries the window.
set -euo pipefail
cd "$(dirname "$0")/../.."
PYTHONPATH=gui PYTHONDONTWRITEBYTECODE=1 exec python3 -m unittest discover --start-directory Tests/GUI --quiet
