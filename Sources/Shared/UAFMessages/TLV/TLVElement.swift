/// One tag, length and value, not yet understood.
public struct TLVElement: Equatable, Sendable {
  /// The tag.
  public let tag: TLVTag

  /// The value's bytes.
  public let value: [UInt8]

  /// Where the tag began, counted from the outermost TLV.
  public let offset: Int

  /// Tag, length and value as they were sent: the bytes that a signature covers.
  public var encoded: [UInt8] {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(4 + value.count)
    for number in [tag.rawValue, UInt16(truncatingIfNeeded: value.count)] {
      encoded.append(UInt8(truncatingIfNeeded: number))
      encoded.append(UInt8(truncatingIfNeeded: number >> 8))
    }
    return encoded + value
  }

  /// Reads bytes that hold exactly one element.
  ///
  /// - Throws: ``TLVError`` if anything is missing or left over.
  public static func single(in bytes: [UInt8]) throws(TLVError) -> TLVElement {
    let elements = try all(in: bytes, offset: 0, maximumCount: 1)
    guard let element = elements.first else { throw TLVError(reason: .truncated, offset: 0) }
    return element
  }

  /// The elements of a composite value, in order.
  ///
  /// - Throws: ``TLVError`` if the tag is not composite or the bytes do not divide evenly.
  public func children() throws(TLVError) -> [TLVElement] {
    guard tag.isComposite else { throw TLVError(reason: .invalidValue(tag), offset: offset) }
    return try Self.all(in: value, offset: offset + 4, maximumCount: .max)
  }

  /// Splits `bytes` into elements: `UINT16 tag | UINT16 length | value`, little-endian, nothing between or after.
  private static func all(in bytes: [UInt8], offset: Int, maximumCount: Int) throws(TLVError) -> [TLVElement] {
    var elements: [TLVElement] = []
    var position = 0
    while position < bytes.count {
      guard elements.count < maximumCount else { throw TLVError(reason: .trailingBytes, offset: offset + position) }
      guard bytes.count - position >= 4 else { throw TLVError(reason: .truncated, offset: offset + position) }
      let tag = TLVTag(rawValue: UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8)
      guard tag.rawValue <= 0x3FFF else { throw TLVError(reason: .invalidTag, offset: offset + position) }
      let length = Int(bytes[position + 2]) | Int(bytes[position + 3]) << 8
      guard bytes.count - position - 4 >= length else { throw TLVError(reason: .truncated, offset: offset + position) }
      let end = position + 4 + length
      elements.append(TLVElement(tag: tag, value: Array(bytes[(position + 4)..<end]), offset: offset + position))
      position = end
    }
    return elements
  }
}

/// The elements of one composite, which can be taken out by tag in any order.
///
/// ``finish()`` refuses a critical element that the reader did not take: a known tag in the wrong composite counts as a tag
/// that cannot be processed there.
struct TLVComposite {
  let offset: Int
  private var remaining: [TLVElement]

  init(_ element: TLVElement) throws(TLVError) {
    offset = element.offset
    remaining = try element.children()
  }

  /// Takes the element that must come first.
  mutating func first(_ tag: TLVTag) throws(TLVError) -> TLVElement {
    guard let element = remaining.first, element.tag == tag else { throw TLVError(reason: .wrongTag, offset: offset) }
    remaining.removeFirst()
    guard index(of: tag) == nil else { throw TLVError(reason: .repeatedTag(tag), offset: offset) }
    return element
  }

  /// Takes every element of a tag, in their order.
  mutating func all(_ tag: TLVTag) -> [TLVElement] {
    guard index(of: tag) != nil else { return [] }
    let taken = remaining.filter { $0.tag == tag }
    remaining.removeAll { $0.tag == tag }
    return taken
  }

  /// Takes the only element of a tag, or nil if there is none.
  mutating func optional(_ tag: TLVTag) throws(TLVError) -> TLVElement? {
    guard let index = index(of: tag) else { return nil }
    let taken = remaining.remove(at: index)
    if let another = self.index(of: tag) {
      throw TLVError(reason: .repeatedTag(tag), offset: remaining[another].offset)
    }
    return taken
  }

  /// The index of the first element with a tag; the elements are examined in place, because copying one would retain its bytes.
  private func index(of tag: TLVTag) -> Int? {
    for index in remaining.indices where remaining[index].tag == tag { return index }
    return nil
  }

  /// Takes the only element of a tag, whose value must have a length in `lengths`.
  mutating func one(_ tag: TLVTag, lengths: ClosedRange<Int>) throws(TLVError) -> TLVElement {
    guard let element = try optional(tag) else { throw TLVError(reason: .missingTag(tag), offset: offset) }
    guard lengths.contains(element.value.count) else {
      throw TLVError(reason: .wrongLength(tag), offset: element.offset)
    }
    return element
  }

  /// Ends the reading.
  ///
  /// A critical element that was not taken refuses the message; others are skipped.
  func finish() throws(TLVError) {
    for element in remaining where element.tag.isCritical {
      throw TLVError(reason: .unknownCriticalTag(element.tag), offset: element.offset)
    }
  }
}

/// A tag of the UAF registry of predefined values, "TLV tags".
///
/// A struct rather than an enum: tags this version does not know must still be subject to the critical-bit rule.
public struct TLVTag: RawRepresentable, Hashable, Sendable {
  /// The tag as sent, 14 bits.
  public let rawValue: UInt16

  /// Makes a tag from its number.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Bit 0x1000: the value is itself a run of TLVs.
  public var isComposite: Bool { rawValue & 0x1000 != 0 }

  /// Bit 0x2000: a reader that cannot process the tag must refuse the whole message.
  public var isCritical: Bool { rawValue & 0x2000 != 0 }

  /// TAG_UAFV1_REG_ASSERTION.
  public static let registrationAssertion = TLVTag(rawValue: 0x3E01)
  /// TAG_UAFV1_AUTH_ASSERTION.
  public static let authenticationAssertion = TLVTag(rawValue: 0x3E02)
  /// TAG_UAFV1_KRD, the key registration data.
  public static let keyRegistrationData = TLVTag(rawValue: 0x3E03)
  /// TAG_UAFV1_SIGNED_DATA.
  public static let signedData = TLVTag(rawValue: 0x3E04)
  /// TAG_ATTESTATION_CERT, one DER certificate.
  public static let attestationCertificate = TLVTag(rawValue: 0x2E05)
  /// TAG_SIGNATURE.
  public static let signature = TLVTag(rawValue: 0x2E06)
  /// TAG_ATTESTATION_BASIC_FULL.
  public static let attestationBasicFull = TLVTag(rawValue: 0x3E07)
  /// TAG_ATTESTATION_BASIC_SURROGATE.
  public static let attestationBasicSurrogate = TLVTag(rawValue: 0x3E08)
  /// TAG_ATTESTATION_ECDAA.
  public static let attestationECDAA = TLVTag(rawValue: 0x3E09)
  /// TAG_KEYID.
  public static let keyID = TLVTag(rawValue: 0x2E09)
  /// TAG_FINAL_CHALLENGE_HASH.
  public static let finalChallengeHash = TLVTag(rawValue: 0x2E0A)
  /// TAG_AAID.
  public static let aaid = TLVTag(rawValue: 0x2E0B)
  /// TAG_PUB_KEY.
  public static let publicKey = TLVTag(rawValue: 0x2E0C)
  /// TAG_COUNTERS.
  public static let counters = TLVTag(rawValue: 0x2E0D)
  /// TAG_ASSERTION_INFO.
  public static let assertionInfo = TLVTag(rawValue: 0x2E0E)
  /// TAG_AUTHENTICATOR_NONCE.
  public static let authenticatorNonce = TLVTag(rawValue: 0x2E0F)
  /// TAG_TRANSACTION_CONTENT_HASH.
  public static let transactionContentHash = TLVTag(rawValue: 0x2E10)
  /// TAG_EXTENSION, critical: refused unless the extension is known.
  public static let criticalExtension = TLVTag(rawValue: 0x3E11)
  /// TAG_EXTENSION, not critical: known by its tag, so its own bit 0x2000 does not refuse it.
  public static let nonCriticalExtension = TLVTag(rawValue: 0x3E12)
  /// TAG_EXTENSION_ID.
  public static let extensionID = TLVTag(rawValue: 0x2E13)
  /// TAG_EXTENSION_DATA.
  public static let extensionData = TLVTag(rawValue: 0x2E14)
  /// TAG_RAW_USER_VERIFICATION_INDEX; never leaves an authenticator.
  public static let rawUserVerificationIndex = TLVTag(rawValue: 0x0103)
  /// TAG_USER_VERIFICATION_INDEX.
  public static let userVerificationIndex = TLVTag(rawValue: 0x0104)
  /// TAG_RAW_USER_VERIFICATION_STATE; never leaves an authenticator.
  public static let rawUserVerificationState = TLVTag(rawValue: 0x0105)
  /// TAG_USER_VERIFICATION_STATE.
  public static let userVerificationState = TLVTag(rawValue: 0x0106)
  /// TAG_RESERVED_5.
  public static let reserved5 = TLVTag(rawValue: 0x0201)
}

/// Why TLV bytes were refused, and where.
public struct TLVError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was wrong.
  public enum Reason: Equatable, Sendable {
    case truncated
    case trailingBytes
    case tooLong
    case invalidTag
    case wrongTag
    case missingTag(TLVTag)
    case repeatedTag(TLVTag)
    case unknownCriticalTag(TLVTag)
    case wrongLength(TLVTag)
    case invalidValue(TLVTag)
  }

  /// What was wrong.
  public let reason: Reason

  /// Byte offset from the start of the outermost TLV.
  public let offset: Int

  /// Names the fault, the tag and the byte offset, never the value.
  public var description: String {
    let fault =
      switch reason {
      case .truncated: "it ends too early"
      case .trailingBytes: "bytes are left over"
      case .tooLong: "it is longer than allowed"
      case .invalidTag: "a tag has more than 14 bits"
      case .wrongTag: "another element was expected here"
      case .missingTag(let tag): "element \(Self.hex(tag)) is missing"
      case .repeatedTag(let tag): "element \(Self.hex(tag)) occurs twice"
      case .unknownCriticalTag(let tag): "element \(Self.hex(tag)) is critical and not known here"
      case .wrongLength(let tag): "element \(Self.hex(tag)) has a wrong length"
      case .invalidValue(let tag): "element \(Self.hex(tag)) has a value that is not allowed"
      }
    return "the assertion is malformed at byte \(offset): \(fault)"
  }

  private static func hex(_ tag: TLVTag) -> String {
    "0x" + String(tag.rawValue, radix: 16, uppercase: true)
  }
}

/// Writes TLVs, little-endian.
public struct TLVWriter: Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// Makes an empty writer.
  public init() {}

  /// Appends one element.
  ///
  /// - Throws: ``TLVError`` if the value is longer than 65,535 bytes.
  public mutating func append(_ tag: TLVTag, _ value: [UInt8]) throws(TLVError) {
    guard let length = UInt16(exactly: value.count) else { throw TLVError(reason: .tooLong, offset: bytes.count) }
    bytes += Self.littleEndian(tag.rawValue)
    bytes += Self.littleEndian(length)
    bytes += value
  }

  /// Appends a composite whose content `body` writes.
  ///
  /// - Throws: ``TLVError`` if the content is longer than 65,535 bytes.
  public mutating func append(
    composite tag: TLVTag, _ body: (inout TLVWriter) throws(TLVError) -> Void
  ) throws(TLVError) {
    var inner = TLVWriter()
    try body(&inner)
    try append(tag, inner.bytes)
  }

  /// The bytes of a number, lowest first.
  public static func littleEndian(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    stride(from: 0, to: number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
