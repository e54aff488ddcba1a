import FidoResults

/// Why an authenticator gave no signature or key.
public struct SigningFailure: Error, Equatable, Sendable {
  /// The outcome to report.
  public let result: FidoResult

  /// What failed, for the log; never a value.
  public let detail: String

  /// Makes a failure.
  public init(_ result: FidoResult, detail: String) {
    self.result = result
    self.detail = detail
  }
}
