@testable import UAFConsole

extension PasskeyGuard {
  /// Limits nothing, and records nothing.
  static let open = PasskeyGuard(
    admitsQuestion: { _, _ in true }, admitsAnswer: { _ in true }, refused: { _, _, _, _ in true })
}
