/// Parameters of a statement as libpq takes them, in one block of bytes.
struct ParameterBlock {
  private var block: [UInt8] = []
  private var offsets: [Int?] = []
  private var lengths: [CInt] = []

  init(_ parameters: [Parameter]) {
    for parameter in parameters {
      let start = block.count
      offsets.append(parameter.append(to: &block) ? start : nil)
      lengths.append(CInt(clamping: block.count - start))
    }
    // An empty value needs an address, and so does a list without parameters.
    block.append(0)
    lengths.append(0)
  }

  /// Lends pointers to the parameters' bytes, NULL for NULL, with their lengths and their format, which is binary.
  func withPointers(_ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<CInt>, UnsafePointer<CInt>) -> Void) {
    let formats = [CInt](repeating: 1, count: lengths.count)
    // SAFETY: each offset is within the block; the pointers live for the call.
    unsafe block.withUnsafeBytes { bytes in
      guard let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      for offset in offsets { unsafe pointers.append(offset.map { unsafe base + $0 }) }
      unsafe pointers.append(nil)
      unsafe body(pointers, lengths, formats)
    }
  }
}
