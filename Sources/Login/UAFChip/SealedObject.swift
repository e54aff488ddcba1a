import CTSS2

/// The core's record of a key that a chip has sealed: two structures of the TPM, and the names by which the chip is recognised.
///
/// Format: version (1 byte), then four parts, each preceded by its length (2 bytes, big-endian): the name of the storage key,
/// the name of a key of the endorsement hierarchy (empty if the chip gave none), TPM2B_PRIVATE, TPM2B_PUBLIC. None of it needs
/// to be kept secret: only the chip can open the key.
struct SealedObject: Equatable {
  /// The name of the storage key under which the key was sealed (TPM 2.0 Part 1, "Names").
  var parentName: [UInt8]
  /// The name of a key that only this chip has, and that survives clearing the chip; empty if it could not be determined.
  var chipName: [UInt8]
  /// TPM2B_PRIVATE, marshalled.
  var privatePart: [UInt8]
  /// TPM2B_PUBLIC, marshalled.
  var publicPart: [UInt8]

  private static let version: UInt8 = 1

  /// The record's bytes.
  var bytes: [UInt8] {
    [Self.version] + Parts.joined([parentName, chipName, privatePart, publicPart])
  }

  init(parentName: [UInt8], chipName: [UInt8], privatePart: [UInt8], publicPart: [UInt8]) {
    self.parentName = parentName
    self.chipName = chipName
    self.privatePart = privatePart
    self.publicPart = publicPart
  }

  /// Reads a record; nil if it is not one.
  init?(_ bytes: [UInt8]) {
    guard bytes.first == Self.version, let parts = Parts.read(bytes.dropFirst(), count: 4), !parts[0].isEmpty,
      !parts[2].isEmpty, !parts[3].isEmpty
    else { return nil }
    self.init(parentName: parts[0], chipName: parts[1], privatePart: parts[2], publicPart: parts[3])
  }
}

/// The public areas of our objects (TPM 2.0 Part 2, 12.2.4).
enum ObjectTemplate {
  // TPM2_ALG_*, TPM2_ECC_NIST_P256 and TPMA_OBJECT_* of tss2_tpm2_types.h, whose casts Swift does not import.
  static let sha256: UInt16 = 0x000b
  static let aes: UInt16 = 0x0006
  static let cfb: UInt16 = 0x0043
  static let null: UInt16 = 0x0010
  private static let ecc: UInt16 = 0x0023
  private static let keyedHash: UInt16 = 0x0008
  private static let nistP256: UInt16 = 0x0003
  private static let fixedTPM: UInt32 = 0x02
  private static let fixedParent: UInt32 = 0x10
  private static let sensitiveDataOrigin: UInt32 = 0x20
  private static let userWithAuth: UInt32 = 0x40
  private static let noDA: UInt32 = 0x400
  private static let restricted: UInt32 = 0x1_0000
  private static let decrypt: UInt32 = 0x2_0000

  /// A storage key on P-256.
  ///
  /// The template is that of TCG's provisioning guidance, so that every call, and other software too, derives the same key.
  static var storageKey: TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = ecc
    template.publicArea.nameAlg = sha256
    template.publicArea.objectAttributes =
      fixedTPM | fixedParent | sensitiveDataOrigin | userWithAuth | noDA | restricted | decrypt
    // SAFETY: the members of the union that belong to this type of key.
    unsafe template.publicArea.parameters.eccDetail.symmetric.algorithm = aes
    unsafe template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
    unsafe template.publicArea.parameters.eccDetail.symmetric.mode.aes = cfb
    unsafe template.publicArea.parameters.eccDetail.scheme.scheme = null
    unsafe template.publicArea.parameters.eccDetail.curveID = nistP256
    unsafe template.publicArea.parameters.eccDetail.kdf.scheme = null
    return template
  }

  /// Sealed data that no other chip can import.
  ///
  /// It has no authValue, so there is nothing to guess. If other programs cause the chip's dictionary attack lockout, it still
  /// opens (noDA).
  static var sealedData: TPM2B_PUBLIC {
    var template = TPM2B_PUBLIC()
    template.publicArea.type = keyedHash
    template.publicArea.nameAlg = sha256
    template.publicArea.objectAttributes = fixedTPM | fixedParent | userWithAuth | noDA
    // SAFETY: the member of the union that belongs to this type.
    unsafe template.publicArea.parameters.keyedHashDetail.scheme.scheme = null
    return template
  }
}

/// A key of the chip under which other keys are sealed.
struct StorageKey: Equatable {
  /// The library's handle for it.
  let handle: UInt32
  /// Its name: the hash of its public area, by which the key is recognised.
  let name: [UInt8]
  /// Whether it is the machine's persistent key, not one that was made for this call.
  let isPersistent: Bool
}

/// Byte strings, one after the other: each preceded by its length (2 bytes, big-endian).
enum Parts {
  /// Joins the byte strings.
  static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    parts.flatMap { part in
      [UInt8(truncatingIfNeeded: part.count >> 8), UInt8(truncatingIfNeeded: part.count)] + part
    }
  }

  /// Splits them again; nil unless there are exactly `count`.
  static func read(_ bytes: some Collection<UInt8>, count: Int) -> [[UInt8]]? {
    var rest = Array(bytes)[...]
    var parts: [[UInt8]] = []
    while let high = rest.popFirst() {
      guard let low = rest.popFirst() else { return nil }
      let length = Int(high) << 8 | Int(low)
      guard length <= rest.count, parts.count < count else { return nil }
      parts.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return parts.count == count ? parts : nil
  }
}
