import Glibc
import UAFWire

@testable import UAFTool

extension Installation {
  /// Nothing is installed.
  static let nowherePath = "/nonexistent"

  static var nowhere: Installation {
    Installation(
      helperPath: nowherePath, fetchPath: nowherePath, socketPath: nowherePath, configurationPath: nowherePath,
      moduleFolders: [], vendorPAMFolders: [], templateFolder: nowherePath, passwords: FakePasswords(),
      tester: FakeTester(), owner: geteuid(), exchange: { _ in nil })
  }
}
