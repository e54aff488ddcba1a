/// What the core keeps of an index and of the share behind it.
///
/// Version (1 byte), the index's handle (4 bytes, big-endian), then two parts, each behind its length (2 bytes, big-endian): the
/// name of the index, and the share as a ``SealedObject``. All of it is public.
struct KeptIndex: Equatable {
  /// The number of the index in the chip.
  var handle: UInt32
  /// Its name: the hash of its public area, by which it is known again.
  var name: [UInt8]
  /// The share, which the chip opens with the values of the index.
  var share: SealedObject

  private static let version: UInt8 = 1

  /// As the core keeps it.
  var bytes: [UInt8] {
    [Self.version] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: handle >> $0) } + Parts.joined([name, share.bytes])
  }

  init(handle: UInt32, name: [UInt8], share: SealedObject) {
    self.handle = handle
    self.name = name
    self.share = share
  }

  /// Reads what the core has kept; nil for anything else, also for a number outside our range.
  init?(_ bytes: [UInt8]) {
    guard bytes.first == Self.version, bytes.count > 5, let parts = Parts.read(bytes.dropFirst(5), count: 2),
      !parts[0].isEmpty, let share = SealedObject(parts[1])
    else { return nil }
    let handle = bytes[1...4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard IndexTemplate.handles.contains(handle) else { return nil }
    self.init(handle: handle, name: parts[0], share: share)
  }
}
