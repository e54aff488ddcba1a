/// A TAG_EXTENSION.
public struct AssertionExtension: Equatable, Sendable {
  /// TAG_EXTENSION_ID.
  public let id: String

  /// TAG_EXTENSION_DATA.
  public let data: [UInt8]

  init(_ element: TLVElement) throws(TLVError) {
    var composite = try TLVComposite(element)
    let id = try composite.one(.extensionID, lengths: 1...128)
    data = try composite.one(.extensionData, lengths: 0...Int(UInt16.max)).value
    try composite.finish()
    guard let text = String(validating: id.value, as: UTF8.self), text.unicodeScalars.count <= 32 else {
      throw TLVError(reason: .invalidValue(.extensionID), offset: id.offset)
    }
    self.id = text
  }

  private var isVerificationMethods: Bool { id.isIdentical(to: UserVerificationMethodEntry.extensionID) }

  /// Extracts the extensions of a composite that may be ignored; its `finish()` then refuses a critical one.
  static func all(in composite: inout TLVComposite) throws(TLVError) -> [AssertionExtension] {
    var extensions: [AssertionExtension] = []
    for element in composite.all(.nonCriticalExtension) { extensions.append(try AssertionExtension(element)) }
    return extensions
  }

  /// Extracts the verification methods from signed data, whether or not the extension is critical.
  ///
  /// - Returns: nil if there are none. Any other critical extension is refused, because none is known.
  static func verificationMethods(
    in composite: inout TLVComposite, beside extensions: [AssertionExtension]
  ) throws(TLVError) -> [UserVerificationMethodEntry]? {
    var found = extensions.filter(\.isVerificationMethods)
    for element in composite.all(.criticalExtension) {
      let critical = try AssertionExtension(element)
      guard critical.isVerificationMethods else {
        throw TLVError(reason: .unknownCriticalTag(.criticalExtension), offset: element.offset)
      }
      found.append(critical)
    }
    guard let only = found.first else { return nil }
    guard found.count == 1 else {
      throw TLVError(reason: .repeatedTag(.nonCriticalExtension), offset: composite.offset)
    }
    guard let entries = UserVerificationMethodEntry.entries(parsing: only.data) else {
      throw TLVError(reason: .invalidValue(.extensionData), offset: composite.offset)
    }
    return entries
  }
}

extension TLVComposite {
  mutating func aaid() throws(TLVError) -> AAID {
    let element = try one(.aaid, lengths: 9...9)
    guard let aaid = AAID(ascii: element.value) else {
      throw TLVError(reason: .invalidValue(.aaid), offset: element.offset)
    }
    return aaid
  }

  mutating func keyID() throws(TLVError) -> KeyID {
    let element = try one(.keyID, lengths: KeyID.counts)
    do {
      return try KeyID(bytes: element.value)
    } catch {
      throw TLVError(reason: .wrongLength(.keyID), offset: element.offset)
    }
  }
}

extension [UInt8] {
  /// The little-endian number at an offset that the caller has checked; 0 beyond the end.
  func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(at offset: Int, as type: Number.Type) -> Number {
    var number: Number = 0
    for index in (0..<(Number.bitWidth / 8)).reversed() where offset + index < count {
      number = number << 8 | Number(self[offset + index])
    }
    return number
  }
}

/// Lengths that both kinds of assertion share.
enum AssertionLengths {
  /// Hashes of the registry's signature algorithms have 32 to 64 bytes.
  static let hash = 32...64

  /// At least 8 random bytes, as the specification says; more than 64 are useless.
  static let nonce = 8...64
}
