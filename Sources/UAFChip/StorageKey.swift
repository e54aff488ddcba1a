/// A key of the chip under which others are sealed.
struct StorageKey: Equatable {
  /// The library's number for it.
  let handle: UInt32
  /// Its name: the hash of its public area, by which it is known again.
  let name: [UInt8]
  /// Whether it is the machine's own, and not one that was made for this call.
  let isPersistent: Bool
}
