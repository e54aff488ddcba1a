/// Where the value of a setting comes from that root can lend to the server.
public struct SettingOrigin: Equatable, Sendable {
  /// The setting's section and name, as in the configuration.
  public let key: String
  /// The value that counts, for people.
  public let value: String
  /// `default`, a file with its line, or the policy with its version.
  public let origin: String
}
