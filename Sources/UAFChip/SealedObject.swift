/// What the core keeps of a key that a chip has sealed: two structures of the TPM, and by what the chip is known again.
///
/// Version (1 byte), then four parts, each behind its length (2 bytes, big-endian): the name of the storage key, the name of a
/// key of the endorsement hierarchy (empty if the chip gave none), TPM2B_PRIVATE, TPM2B_PUBLIC. All of it is public: only the
/// chip opens it.
struct SealedObject: Equatable {
  /// The name of the storage key that it was sealed under (TPM 2.0 Part 1, "Names").
  var parentName: [UInt8]
  /// The name of a key that only this chip has, whether it was cleared or not; empty if it could not be told.
  var chipName: [UInt8]
  /// TPM2B_PRIVATE, marshalled.
  var privatePart: [UInt8]
  /// TPM2B_PUBLIC, marshalled.
  var publicPart: [UInt8]

  private static let version: UInt8 = 1

  /// As the core keeps it.
  var bytes: [UInt8] {
    [Self.version] + Parts.joined([parentName, chipName, privatePart, publicPart])
  }

  init(parentName: [UInt8], chipName: [UInt8], privatePart: [UInt8], publicPart: [UInt8]) {
    self.parentName = parentName
    self.chipName = chipName
    self.privatePart = privatePart
    self.publicPart = publicPart
  }

  /// Reads what the core has kept; nil for anything else.
  init?(_ bytes: [UInt8]) {
    guard bytes.first == Self.version, let parts = Parts.read(bytes.dropFirst(), count: 4), !parts[0].isEmpty,
      !parts[2].isEmpty, !parts[3].isEmpty
    else { return nil }
    self.init(parentName: parts[0], chipName: parts[1], privatePart: parts[2], publicPart: parts[3])
  }
}
