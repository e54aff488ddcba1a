import Invocation

/// How uafctl ends: as uaf-server does.
typealias ToolExit = ExitStatus
