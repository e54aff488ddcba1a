/// How a person was verified for one signature: an entry of the extension `fido.uaf.uvm`.
///
/// A request asks for it with the extension in its header; the answer is a TAG_EXTENSION of the same name inside the
/// signed part of the assertion, with one entry for each method that was used.
public struct UserVerificationMethodEntry: Equatable, Sendable {
  /// The extension's name.
  public static let extensionID = "fido.uaf.uvm"

  /// How many methods one assertion may name.
  public static let counts = 1...3

  /// One USER_VERIFY flag, never USER_VERIFY_ALL.
  public let userVerificationMethod: UInt32
  /// KEY_PROTECTION flags, at least one.
  public let keyProtection: UInt16
  /// MATCHER_PROTECTION flags, at least one.
  public let matcherProtection: UInt16

  /// Makes an entry.
  public init(userVerificationMethod: UInt32, keyProtection: UInt16, matcherProtection: UInt16) {
    self.userVerificationMethod = userVerificationMethod
    self.keyProtection = keyProtection
    self.matcherProtection = matcherProtection
  }

  /// Reads the extension's data: `userVerificationMethod u32 | keyProtection u16 | matcherProtection u16` for each entry,
  /// little-endian.
  ///
  /// - Returns: nil unless the data is 1 to 3 whole entries, each with one method and flags for both protections, and
  ///   no method occurs twice.
  public static func entries(parsing data: [UInt8]) -> [UserVerificationMethodEntry]? {
    guard data.count.isMultiple(of: size), counts.contains(data.count / size) else { return nil }
    let entries = stride(from: 0, to: data.count, by: size).map { start in
      UserVerificationMethodEntry(
        userVerificationMethod: data.littleEndian(at: start, as: UInt32.self),
        keyProtection: data.littleEndian(at: start + 4, as: UInt16.self),
        matcherProtection: data.littleEndian(at: start + 6, as: UInt16.self))
    }
    guard Set(entries.map(\.userVerificationMethod)).count == entries.count else { return nil }
    return entries.allSatisfy(\.isMeaningful) ? entries : nil
  }

  /// The extension's data for some entries.
  public static func data(of entries: [UserVerificationMethodEntry]) -> [UInt8] {
    entries.flatMap { entry in
      TLVWriter.littleEndian(entry.userVerificationMethod) + TLVWriter.littleEndian(entry.keyProtection)
        + TLVWriter.littleEndian(entry.matcherProtection)
    }
  }

  /// Writes the extension `fido.uaf.uvm`, which a receiver that does not know it may ignore.
  static func write(_ methods: [UserVerificationMethodEntry], to writer: inout TLVWriter) throws(TLVError) {
    try writer.append(composite: .nonCriticalExtension) { (object) throws(TLVError) in
      try object.append(.extensionID, Array(extensionID.utf8))
      try object.append(.extensionData, data(of: methods))
    }
  }

  private static let size = 8

  private var isMeaningful: Bool {
    userVerificationMethod.nonzeroBitCount == 1 && userVerificationMethod != UserVerification.all
      && keyProtection != 0 && matcherProtection != 0
  }
}

extension AuthenticatorDescription {
  /// The authenticator's statement about a verification; nil if its flags do not say which of several methods it used.
  public var verificationMethods: [UserVerificationMethodEntry]? {
    let flags = userVerification & ~UserVerification.all
    let isTogether = userVerification & UserVerification.all != 0
    guard isTogether || flags.nonzeroBitCount == 1 else { return nil }
    let methods = (0..<UInt32.bitWidth).map { UInt32(1) << $0 }.filter { flags & $0 != 0 }
    guard UserVerificationMethodEntry.counts.contains(methods.count) else { return nil }
    return methods.map {
      UserVerificationMethodEntry(
        userVerificationMethod: $0, keyProtection: keyProtection, matcherProtection: matcherProtection)
    }
  }
}
