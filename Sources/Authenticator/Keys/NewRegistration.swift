/// A key that the server has accepted, with the authenticator that made it, ready to be stored.
public struct NewRegistration {
  /// The key.
  public let key: UAFKey
  let enrolled: EnrolledAuthenticator
  /// Whether the authenticator is new, too.
  let isNew: Bool
}
