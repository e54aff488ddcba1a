import HTTPTypes

extension HTTPField.Name {
  /// The header in which a machine proves that this server knows it (PROTOCOL.md).
  static let machineProof = HTTPField.Name("UAF-Machine")
}
