import Glibc
import PAMStacks

/// Which accounts have a file in a state folder.
package enum RegisteredAccounts {
  /// Their numbers, in order.
  package static func numbers(in folder: String) -> [uid_t] {
    let names = PAMDirectory(path: folder + "/accounts").names() ?? []
    return names.compactMap { $0.hasSuffix(".db") ? uid_t($0.dropLast(3)) : nil }.sorted()
  }
}
