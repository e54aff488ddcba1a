/// What somebody says who has keys removed: of which account and machine, of which model, and which keys.
public enum RemovalStatement {
  /// What is hashed or authenticated.
  ///
  /// - Parameter context: of the request for the deregistration, or of the authentication that is to authorise it.
  public static func bytes(_ context: RequestContext) -> [UInt8] {
    var bytes = Array("pam-uaf removal".utf8) + [0]
    for field in [context.username, context.deviceID ?? "", context.deregisterAAID?.text ?? ""] {
      StatementField.append(field.utf8, to: &bytes)
    }
    for keyID in context.deregisterKeyIDs { StatementField.append(keyID.bytes, to: &bytes) }
    return bytes
  }
}
