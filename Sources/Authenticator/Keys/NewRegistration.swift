/// A key that the server has accepted, with the authenticator it was made by, ready to be kept.
public struct NewRegistration {
  /// The key.
  public let key: UAFKey
  let enrolled: EnrolledAuthenticator
  /// Whether the authenticator is new, too.
  let isNew: Bool
}
