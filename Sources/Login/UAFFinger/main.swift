// Purpose: talks to the machine's fingerprint service over the system bus, on behalf of the core and as an unprivileged user.
// It holds no key, no state and no secret, and has no network. Imports UAFWire, Sandbox and libsystemd; no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(FingerProgram.run(CommandLine.arguments).rawValue)
