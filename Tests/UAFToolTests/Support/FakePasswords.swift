@testable import UAFTool

/// Groups and passwords of a machine in good order: alice is the one of uaf-rescue, and may use sudo.
final class FakePasswords: PasswordDirectory {
  var groups = ["uaf-rescue": ["alice"], "sudo": ["alice"]]
  var states = ["alice": PasswordState.usable, "root": .locked]

  func members(ofGroup name: String) -> [String]? { groups[name] }
  func password(of name: String) -> PasswordState { states[name] ?? .unknown }
}
