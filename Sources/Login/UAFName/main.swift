// Purpose: asks the machine's name services (NSS) for the name of one uid, for the core, as an unprivileged user. Their
// plug-ins are other people's code: so this program holds no key, no state and no value, and has no network. Imports UAFWire
// and Sandbox; no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(NameProgram.run(CommandLine.arguments).rawValue)
