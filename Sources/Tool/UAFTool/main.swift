// Purpose of this target: uafctl, the person's and the administrator's command line: another front end of the conversation
// of docs/protocol.md. It holds no key and opens no state file but to look at its owner and mode (`doctor`).

import Glibc

exit(Tool.run(Array(CommandLine.arguments.dropFirst()), in: ToolContext.ofThisProcess()).rawValue)
