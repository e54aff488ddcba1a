/// What is sent to the server about this machine; nil is not sent.
public struct DeviceContext: Equatable, Sendable {
  /// A hash that tells this machine apart for this application only, never the machine's own identifier.
  public let id: String?
  /// A name people know the machine by.
  public let name: String?
  /// Its model.
  public let model: String?
  /// Its system.
  public let operatingSystem: String?

  /// Makes a description; nothing at all for `send_device = false`.
  public init(id: String? = nil, name: String? = nil, model: String? = nil, operatingSystem: String? = nil) {
    self.id = id
    self.name = name
    self.model = model
    self.operatingSystem = operatingSystem
  }
}
