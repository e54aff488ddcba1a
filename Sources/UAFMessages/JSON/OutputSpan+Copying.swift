extension OutputSpan<UInt8> {
  /// Appends bytes, for which there must be room.
  mutating func append(copying bytes: Span<UInt8>) {
    // SAFETY: the room is behind the bytes that were appended before, and both pointers live for the call. That there is
    // enough of it is checked where the bytes are copied.
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        _ = unsafe buffer.extracting(count...).initialize(fromContentsOf: bytes)
        count += bytes.count
      }
    }
  }
}
