import Glibc
import UAFWire

@testable import UAFTool

extension Installation {
  /// Nothing is installed.
  static let nowherePath = "/nonexistent"

  static var nowhere: Installation {
    Installation(
      helperPath: nowherePath, fetchPath: nowherePath, socketPath: nowherePath, configurationPath: nowherePath,
      moduleFolders: [], owner: geteuid(), exchange: { _ in nil })
  }
}
