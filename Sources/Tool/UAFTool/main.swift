// Purpose of this target: uafctl, the command line for people and administrators. It is a second front end of the conversation
// in docs/protocol.md, besides the module. It has no key, and opens state files only to check their owner and mode (`doctor`).

import Glibc

exit(Tool.run(Array(CommandLine.arguments.dropFirst()), in: ToolContext.ofThisProcess()).rawValue)
