/// The highest counter of a key that a server has seen; our own member, in the refusal of a signature whose counter did
/// not grow.
public struct SeenCounter: JSONRepresentable, Equatable, Sendable {
  /// The key.
  public let keyID: KeyID
  /// The highest counter that was accepted.
  public let signCounter: UInt32

  /// Makes one.
  public init(keyID: KeyID, signCounter: UInt32) {
    self.keyID = keyID
    self.signCounter = signCounter
  }

  /// Reads it.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    keyID = try reader.child("keyID", as: KeyID.self)
    signCounter = try reader.integer("signCounter", as: UInt32.self)
  }

  /// The JSON form.
  public var json: JSONValue {
    .object(["keyID": keyID.json, "signCounter": .integer(Int64(signCounter))])
  }
}
