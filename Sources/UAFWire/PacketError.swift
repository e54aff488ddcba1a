/// Why bytes are not a packet of PROTOCOL.md, or a message does not fit into one.
public enum PacketError: Error, Equatable, Sendable {
  /// Nothing, or more than ``WireLimit/packet`` bytes.
  case size
  /// No such type.
  case unknownType(UInt8)
  /// A tag that this type does not have, or that stands out of order or too often.
  case unexpectedField(PacketType, tag: UInt8)
  /// A field that goes on beyond the packet.
  case truncated(PacketType)
  /// A length, a NUL or a text that the field may not have.
  case invalidValue(PacketType, tag: UInt8)
  /// A required field is not there.
  case missingField(PacketType, tag: UInt8)
  /// A well-formed message of a type that was not expected here.
  case unexpectedType(PacketType)
}

extension PacketError: CustomStringConvertible {
  /// What is wrong, without any value of the packet.
  public var description: String {
    switch self {
    case .size: "a packet must have 1 to \(WireLimit.packet) bytes"
    case .unknownType(let type): "packet of unknown type \(type)"
    case .unexpectedField(let type, let tag): "\(type): field \(tag) may not stand here"
    case .truncated(let type): "\(type): a field goes beyond the packet's end"
    case .invalidValue(let type, let tag): "\(type): field \(tag) has a value it may not have"
    case .missingField(let type, let tag): "\(type): field \(tag) is missing"
    case .unexpectedType(let type): "\(type): not expected at this point of the conversation"
    }
  }
}
