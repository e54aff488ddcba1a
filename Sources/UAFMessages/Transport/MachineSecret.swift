/// What a server gives to a machine with its success, so that the machine is known by it later; our own member.
///
/// It opens nothing: who has it is only not stopped by what strangers ask the server.
public struct MachineSecret: JSONRepresentable, Equatable, Sendable, CustomStringConvertible {
  /// The length of a machine's number.
  public static let machineIDByteCount = 16
  /// The length of the secret.
  public static let secretByteCount = 32

  /// The machine's number at the server, for one account.
  public let machineID: [UInt8]
  /// The key of its proofs.
  public let secret: [UInt8]

  /// Takes number and secret.
  ///
  /// - Throws: ``MessageError/outOfRange(_:)`` for any other length.
  public init(machineID: [UInt8], secret: [UInt8]) throws(MessageError) {
    guard machineID.count == Self.machineIDByteCount else { throw .outOfRange("machineSecret.id") }
    guard secret.count == Self.secretByteCount else { throw .outOfRange("machineSecret.secret") }
    self.machineID = machineID
    self.secret = secret
  }

  /// Reads both.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    machineID = try reader.base64URL("id", counts: Self.machineIDByteCount...Self.machineIDByteCount)
    secret = try reader.base64URL("secret", counts: Self.secretByteCount...Self.secretByteCount)
  }

  /// The JSON form.
  public var json: JSONValue {
    .object(["id": .string(Base64URL.encode(machineID)), "secret": .string(Base64URL.encode(secret))])
  }

  /// Both, as a signed verdict covers them.
  public var bytes: [UInt8] { machineID + secret }

  /// Nothing of the secret.
  public var description: String { "the secret of a machine" }
}
