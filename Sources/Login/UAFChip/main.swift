// Purpose: the only code that talks to a TPM 2.0. For uaf-helper, which starts this program for one call, it seals and opens
// the device key, and has the chip count wrong secrets. A forked copy answers each request. Imports UAFWire, UAFCrypto, Sandbox
// and tpm2-tss; no network, no state, no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(ChipProgram.run(CommandLine.arguments).rawValue)
