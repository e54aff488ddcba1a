// Purpose of this target: tests the programs of build/stage together, as a login uses them: with the real libpam, a real server,
// and processes that are killed. Nothing is imported from the programs themselves. Needs root, because a login does.

import Foundation
import Testing

/// The parent of every suite here: one test at a time, because the tests share the machine's processors and its log.
@Suite(.serialized, .enabled(if: geteuid() == 0, "a login is decided by root's processes: run `make test`"))
enum EndToEnd {}
