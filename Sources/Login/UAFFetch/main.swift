// Purpose: The only network code of the client side: performs the HTTPS exchanges the helper asks for, as an unprivileged
// user, holding no key, no state and no value. Imports UAFWire and libcurl; no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(FetchProgram.run(CommandLine.arguments).rawValue)
