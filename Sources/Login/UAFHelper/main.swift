// Purpose: the core: one process per PAM call, one thread, root. It speaks the conversation protocol with the module or uafctl,
// and the fetch protocol with uaf-fetch, and it alone uses the account's state. It must not use NSS, a terminal, a network
// socket, threads, `async` or Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: otherwise, whoever waits for the end of this process would also wait until OpenSSL
// has freed its tables.
_exit(HelperProgram.run(CommandLine.arguments))
