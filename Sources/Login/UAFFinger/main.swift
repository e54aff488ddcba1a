// Purpose: asks the machine's fingerprint service for the core, over the system bus, as an unprivileged user. It holds no key, no
// state and no value, and has no network. Imports UAFWire, Sandbox and libsystemd; no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(FingerProgram.run(CommandLine.arguments).rawValue)
