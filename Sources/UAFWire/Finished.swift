/// The last message of a conversation (PROTOCOL.md, *finished*).
public struct Finished: Equatable, Sendable {
  /// The fields of *finished*.
  enum Field: UInt8, PacketField {
    case pamCode = 1
    case result
    case text
    case token
    case document
    case staleValue

    static let rules = [
      pamCode.rule(.u8, required: true),
      result.rule(.u32, required: true),
      text.rule(.text(WireLimit.text)),
      token.rule(.text(WireLimit.token)),
      document.rule(.text(WireLimit.document)),
      staleValue.rule(.mark),
    ]
  }

  /// The PAM code.
  public var pamCode: UInt8
  /// The result's number.
  public var result: UInt32
  /// The result in words; at most ``WireLimit/text`` bytes.
  public var text: String?
  /// The server's token, on success and if requested.
  public var token: String?
  /// The JSON document of *status*.
  public var document: String?
  /// Today's passcode policy would refuse the secret that was just verified.
  ///
  /// Only with a success of *authenticate*; the module refuses it with anything else.
  public var staleValue = false

  /// An outcome, without text.
  public init(pamCode: UInt8, result: UInt32) {
    self.pamCode = pamCode
    self.result = result
  }
}
