import Glibc
import UAFWire

@testable import Doctor

extension Installation {
  /// Nothing is installed.
  package static let nowherePath = "/nonexistent"

  package static var nowhere: Installation {
    Installation(
      helperPath: nowherePath, fetchPath: nowherePath, socketPath: nowherePath, configurationPath: nowherePath,
      moduleFolders: [], vendorPAMFolders: [], templateFolder: nowherePath, trialParent: "/tmp",
      passwords: FakePasswords(), tester: FakeTester(), output: { _, _ in nil }, sshPaths: (nowherePath, nowherePath),
      sudoFiles: SudoFiles(configuration: nowherePath, sudoers: nowherePath, switches: nowherePath), hostName: "here",
      registered: { _ in [] }, isReadOnly: { _ in false }, logPath: nowherePath, facts: { .ofATest }, owner: geteuid(),
      exchange: { _ in nil }
    )
  }
}

extension MachineFacts {
  /// A kernel with every feature, in 2027.
  package static let ofATest = MachineFacts(
    landlock: 3, hasSeccomp: true, hasNetworkNamespaces: true, mayLeaveNetwork: true,
    bootID: "4e9a9c5d-8c1c-4a3b-9d43-0123456789ab\n", time: 1_800_000_000, isSynchronised: true,
    logFailure: 0)
}
