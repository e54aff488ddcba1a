// Purpose: the core: one process per PAM call, one thread, root. Speaks the conversation protocol with
// the module or uafctl, the fetch protocol with uaf-fetch, and owns the account's state. Never: NSS, a
// terminal, a network socket, a thread, `async`, Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: otherwise, everybody who waits for this process would also wait until OpenSSL frees
// its tables.
_exit(HelperProgram.run(CommandLine.arguments))
