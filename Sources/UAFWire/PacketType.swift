// Purpose of this target: the bytes of PROTOCOL.md: packets, the messages of both conversations, the
// table of what may follow what, and the packet socket. Imports SecretMemory and Glibc; knows
// nothing of UAF, PAM or HTTP beyond the names of fields.

/// The type byte of a packet (PROTOCOL.md, "Conversation" and "Fetch").
public enum PacketType: UInt8, CaseIterable, Sendable {
  case begin = 0x01
  case answer = 0x02
  case cancelled = 0x03
  case resume = 0x04
  case prompt = 0x81
  case info = 0x82
  case error = 0x83
  case ready = 0x84
  case setenv = 0x85
  case finished = 0x86
  case fetchRequest = 0x41
  case fetchPlaces = 0x42
  case fetchResponse = 0xC1
  case fetchChunk = 0xC2

  /// The fields a packet of this type may have, in the order they must have.
  var rules: [FieldRule] {
    switch self {
    case .begin:
      [
        FieldRule(1, .u16, required: true), FieldRule(2, .u8, required: true), FieldRule(3, .u32),
        FieldRule(4, .name(256)), FieldRule(5, .name(256)), FieldRule(6, .name(64)), FieldRule(7, .name(256)),
        FieldRule(8, .name(256)), FieldRule(9, .name(256)), FieldRule(10, .flag), FieldRule(11, .u32),
        FieldRule(12, .name(4096), repeats: 32), FieldRule(13, .name(64)),
        FieldRule(15, .flag), FieldRule(16, .name(64)), FieldRule(17, .name(16384)), FieldRule(18, .flag),
        FieldRule(19, .u32), FieldRule(20, .name(4096)), FieldRule(21, .raw(WireLimit.commandLine)),
        FieldRule(22, .name(WireLimit.transaction)), FieldRule(23, .mark),
      ]
    case .answer: [FieldRule(1, .name(WireLimit.answer), required: true)]
    case .cancelled: [FieldRule(1, .mark), FieldRule(2, .mark)]
    case .resume, .ready: []
    case .prompt:
      [
        FieldRule(1, .flag, required: true), FieldRule(2, .text(32), required: true), FieldRule(3, .u8, required: true),
        FieldRule(4, .text(WireLimit.text), required: true), FieldRule(5, .u32), FieldRule(6, .text(WireLimit.text)),
        FieldRule(7, .text(WireLimit.text)), FieldRule(8, .u32),
        FieldRule(9, .text(WireLimit.option), repeats: WireLimit.options), FieldRule(10, .text(WireLimit.text)),
      ]
    case .info, .error: [FieldRule(1, .text(WireLimit.text), required: true)]
    case .setenv: [FieldRule(1, .text(64), required: true), FieldRule(2, .text(WireLimit.token), required: true)]
    case .finished:
      [
        FieldRule(1, .u8, required: true), FieldRule(2, .u32, required: true), FieldRule(3, .text(WireLimit.text)),
        FieldRule(4, .text(WireLimit.token)), FieldRule(5, .text(WireLimit.document)), FieldRule(6, .mark),
      ]
    case .fetchRequest:
      [
        FieldRule(1, .u16, required: true), FieldRule(2, .u8, required: true),
        FieldRule(3, .text(4096), required: true),
        FieldRule(4, .text(128)), FieldRule(5, .text(128)), FieldRule(6, .raw(WireLimit.requestBody)),
        FieldRule(7, .u32, required: true), FieldRule(8, .text(WireLimit.certificateAuthorities)),
        FieldRule(9, .text(4096)), FieldRule(10, .flag),
      ]
    case .fetchPlaces:
      [FieldRule(1, .text(WireLimit.place), required: true, repeats: WireLimit.places), FieldRule(2, .text(4096))]
    case .fetchResponse:
      [
        FieldRule(1, .u8, required: true), FieldRule(2, .flag, required: true), FieldRule(3, .u16, required: true),
        FieldRule(4, .text(256)), FieldRule(5, .raw(WireLimit.certificate)), FieldRule(6, .u32, required: true),
        FieldRule(7, .text(512)), FieldRule(8, .text(4096)), FieldRule(9, .flag), FieldRule(10, .text(64)),
        FieldRule(11, .u32),
      ]
    case .fetchChunk: [FieldRule(1, .chunk, required: true)]
    }
  }
}
