// Purpose: asks the machine's name services (NSS) for the name of one number, for the core, as an unprivileged user. Their
// plug-ins are code of others: so it holds no key, no state and no value, and has no network. Imports UAFWire and Sandbox; no
// Foundation.

import CArguments
import Glibc

// Without what libraries do at an exit: nothing of it outlives the process.
_exit(NameProgram.run(CommandLine.arguments).rawValue)
