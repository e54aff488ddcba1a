// Purpose of this target: the bytes of PROTOCOL.md: packets, the messages of the conversations, the
// table of what may follow what, and the packet socket. Imports SecretMemory and Glibc; knows
// nothing of UAF, PAM or HTTP beyond the names of fields.

/// The type byte of a packet (PROTOCOL.md, "Conversation", "Fetch", "Chip", "Finger" and "Name").
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
  case fetchAuthorities = 0x43
  case fetchResponse = 0xC1
  case fetchChunk = 0xC2
  case chipRequest = 0xC3
  case chipAnswer = 0xC4
  case fingerAsk = 0x21
  case fingerStop = 0x22
  case fingerSensor = 0xA1
  case fingerTouch = 0xA2
  case fingerEnd = 0xA3
  case nameRequest = 0x31
  case nameAnswer = 0xB1

  /// The fields a packet of this type may have, in the order they must have.
  var rules: [FieldRule] {
    switch self {
    case .begin: Begin.Field.rules
    case .answer: Answer.Field.rules
    case .cancelled: FrontEndSignal.Field.rules
    case .resume, .ready, .fingerStop: []
    case .prompt: Prompt.Field.rules
    case .info, .error: CoreMessage.NoticeField.rules
    case .setenv: CoreMessage.SetenvField.rules
    case .finished: Finished.Field.rules
    case .fetchRequest: FetchRequest.Field.rules
    case .fetchPlaces: FetchPlaces.Field.rules
    case .fetchAuthorities: FetchAuthorities.Field.rules
    case .fetchResponse: FetchResponse.Field.rules
    case .fetchChunk: FetchChunk.Field.rules
    case .chipRequest: ChipRequest.Field.rules
    case .chipAnswer: ChipAnswer.Field.rules
    case .fingerAsk: FingerAsk.Field.rules
    case .fingerSensor: FingerSensor.Field.rules
    case .fingerTouch: FingerTouch.Field.rules
    case .fingerEnd: FingerEnd.Field.rules
    case .nameRequest: NameRequest.Field.rules
    case .nameAnswer: NameAnswer.Field.rules
    }
  }
}
