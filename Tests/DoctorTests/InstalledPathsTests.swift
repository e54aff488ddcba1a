import Testing

@testable import Doctor

@Suite struct InstalledPathsTests {
  @Test func `the helper is next to the program's folder`() {
    let path = InstalledPaths.program("no-such-program")
    #expect(path.hasPrefix("/") && !path.contains("..") && path.hasSuffix("/libexec/pam-uaf/no-such-program"))
  }
}
