// Purpose: The only network code of the client side: performs HTTPS exchanges for uaf-helper, as an unprivileged user, and
// holds no key, no state and no secret. Imports UAFWire and libcurl; no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(FetchProgram.run(CommandLine.arguments).rawValue)
