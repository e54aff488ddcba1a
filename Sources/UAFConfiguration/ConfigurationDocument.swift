/// One of the files that make up a configuration.
public struct ConfigurationDocument: Sendable {
  /// Where it was read, for errors.
  public let path: String
  /// What it says.
  public let bytes: [UInt8]

  /// A file that was read, or is to be written.
  public init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }
}
