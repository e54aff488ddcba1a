// Purpose: The only network code of the client side: performs the HTTPS exchanges the helper asks for, as an unprivileged
// user, holding no key, no state and no value. Imports UAFWire and libcurl; no Foundation.

import CArguments
import Glibc

// Without what libraries do at an exit: nothing of it outlives the process.
_exit(FetchProgram.run(CommandLine.arguments).rawValue)
