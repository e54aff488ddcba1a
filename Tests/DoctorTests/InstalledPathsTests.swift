import Testing

@testable import Doctor

@Suite struct InstalledPathsTests {
  @Test func `the helper is looked for next to the folder of the program`() {
    let path = InstalledPaths.program("no-such-program")
    #expect(path.hasPrefix("/") && !path.contains("..") && path.hasSuffix("/libexec/pam-uaf/no-such-program"))
  }
}
