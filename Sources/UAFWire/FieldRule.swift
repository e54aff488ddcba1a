/// What one field of a packet may be.
struct FieldRule {
  /// The form of a field's value.
  enum Form: Equatable {
    case flag, u8, u16, u32
    /// A boolean that is 1, or absent.
    case mark
    /// Bytes that the front end got, without NUL; at most so many.
    case name(Int)
    /// UTF-8 without NUL; at most so many bytes.
    case text(Int)
    /// Any bytes; at most so many.
    case raw(Int)
    /// 1 to ``WireLimit/chunk`` bytes of any kind.
    case chunk
  }

  let tag: UInt8
  let form: Form
  let isRequired: Bool
  /// How often the field may stand.
  let repeats: Int

  /// Whether the bytes in `range` of the packet are a value of this form.
  func accepts(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    switch form {
    case .flag: range.count == 1 && bytes[range.lowerBound] <= 1
    case .mark: range.count == 1 && bytes[range.lowerBound] == 1
    case .u8: range.count == 1
    case .u16: range.count == 2
    case .u32: range.count == 4
    case .name(let limit): range.count <= limit && !range.contains { bytes[$0] == 0 }
    case .text(let limit):
      range.count <= limit && !range.contains { bytes[$0] == 0 }
        && String(validating: range.map { bytes[$0] }, as: UTF8.self) != nil
    case .raw(let limit): range.count <= limit
    case .chunk: (1...WireLimit.chunk).contains(range.count)
    }
  }
}
