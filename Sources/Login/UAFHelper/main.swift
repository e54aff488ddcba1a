// Purpose: the core: one process per PAM call, one thread, root. Speaks the conversation protocol with
// the module or uafctl, the fetch protocol with uaf-fetch, and owns the account's state. Never: NSS, a
// terminal, a network socket, a thread, `async`, Foundation.

import CArguments
import Glibc

// Without what libraries do at an exit: whoever waits for this process would wait for OpenSSL to take its tables apart.
_exit(HelperProgram.run(CommandLine.arguments))
