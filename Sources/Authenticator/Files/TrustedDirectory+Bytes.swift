import Glibc

extension TrustedDirectory {
  /// A file of some bytes; nil if there is none.
  ///
  /// - Throws: ``StateError``; `unsafe` for a longer or an empty one.
  borrowing func bytes(_ name: String, owner: uid_t, capacity: Int) throws(StateError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: capacity + 1)
    var failure: StateError?
    // SAFETY: the buffer is used for the call only.
    let length = unsafe buffer.withUnsafeMutableBytes { room -> Int? in
      do throws(StateError) { return try unsafe read(name, owner: owner, into: room) } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    guard let length else { return nil }
    guard (1...capacity).contains(length) else {
      throw .unsafe(path: path + "/" + name, why: "not 1 to \(capacity) bytes long")
    }
    return Array(buffer.prefix(length))
  }

  /// Keeps bytes in a file, which is on the disk afterwards.
  ///
  /// They are written under another name first, so that the file is complete or as it was.
  ///
  /// - Throws: ``StateError/cannotOpen(path:errno:)``.
  borrowing func replace(_ name: String, with bytes: [UInt8]) throws(StateError) {
    let temporary = ".\(name).new"
    try removeFile(temporary)
    let file = try makeFile(temporary, mode: 0o600)
    defer { close(file) }
    // SAFETY: the bytes are lent for the call.
    let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard written == bytes.count, fsync(file) == 0 else {
      let failure = errno
      _ = try? removeFile(temporary)
      throw .cannotOpen(path: path + "/" + temporary, errno: failure)
    }
    try rename(temporary, to: name)
    try synchronise()
  }
}
