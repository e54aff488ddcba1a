// Purpose: the only code that talks to a TPM 2.0: seals the device key, opens what the chip has sealed, and counts wrong values,
// for uaf-helper, which starts it for one call; a copy of it answers each request. Imports UAFWire, UAFCrypto, Sandbox and
// tpm2-tss; no network, no state, no Foundation.

import CArguments
import Glibc

// The libraries' exit handlers are skipped: nothing that they would clean up outlives the process.
_exit(ChipProgram.run(CommandLine.arguments).rawValue)
