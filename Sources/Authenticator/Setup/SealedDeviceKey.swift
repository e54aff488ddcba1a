/// A device key that a chip has sealed: what is kept of it.
public struct SealedDeviceKey: Equatable, Sendable {
  /// What the chip opens.
  public let bytes: [UInt8]
  /// What the recovery key opens; nil without one.
  public let recovery: [UInt8]?

  /// Both of them.
  public init(_ bytes: [UInt8], recovery: [UInt8]?) {
    self.bytes = bytes
    self.recovery = recovery
  }
}
