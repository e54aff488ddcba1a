// Purpose: looks up the name of one uid in the machine's name services (NSS), on behalf of the core and as an unprivileged
// user. Their plug-ins are foreign code, so this program holds no key, no state and no secret, and has no network. Imports
// UAFWire and Sandbox; no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(NameProgram.run(CommandLine.arguments).rawValue)
