// Purpose of this target: uafctl, the person's and the administrator's command line: another front end of the conversation
// of docs/protocol.md. It has no key, and opens state files only to check their owner and mode (`doctor`).

import Glibc

exit(Tool.run(Array(CommandLine.arguments.dropFirst()), in: ToolContext.ofThisProcess()).rawValue)
