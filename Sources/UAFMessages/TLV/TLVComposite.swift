/// The elements of one composite, to be taken out by tag in any order.
///
/// ``finish()`` refuses a critical element that the reader did not take: a known tag in a foreign place counts as one
/// that cannot be processed there.
struct TLVComposite {
  let offset: Int
  private var remaining: [TLVElement]

  init(_ element: TLVElement) throws(TLVError) {
    offset = element.offset
    remaining = try element.children()
  }

  /// Takes the element that must come first.
  mutating func first(_ tag: TLVTag) throws(TLVError) -> TLVElement {
    guard let element = remaining.first, element.tag == tag else { throw TLVError(reason: .wrongTag, offset: offset) }
    remaining.removeFirst()
    guard index(of: tag) == nil else { throw TLVError(reason: .repeatedTag(tag), offset: offset) }
    return element
  }

  /// Takes every element of a tag, in their order.
  mutating func all(_ tag: TLVTag) -> [TLVElement] {
    guard index(of: tag) != nil else { return [] }
    let taken = remaining.filter { $0.tag == tag }
    remaining.removeAll { $0.tag == tag }
    return taken
  }

  /// Takes the only element of a tag, or nil if there is none.
  mutating func optional(_ tag: TLVTag) throws(TLVError) -> TLVElement? {
    guard let index = index(of: tag) else { return nil }
    let taken = remaining.remove(at: index)
    if let another = self.index(of: tag) {
      throw TLVError(reason: .repeatedTag(tag), offset: remaining[another].offset)
    }
    return taken
  }

  /// Where the first element of a tag stands; the elements are looked at in place, since each of them has bytes.
  private func index(of tag: TLVTag) -> Int? {
    for index in remaining.indices where remaining[index].tag == tag { return index }
    return nil
  }

  /// Takes the only element of a tag, whose value must have a length in `lengths`.
  mutating func one(_ tag: TLVTag, lengths: ClosedRange<Int>) throws(TLVError) -> TLVElement {
    guard let element = try optional(tag) else { throw TLVError(reason: .missingTag(tag), offset: offset) }
    guard lengths.contains(element.value.count) else {
      throw TLVError(reason: .wrongLength(tag), offset: element.offset)
    }
    return element
  }

  /// Ends the reading.
  ///
  /// A critical element that was not taken refuses the message; others are skipped.
  func finish() throws(TLVError) {
    for element in remaining where element.tag.isCritical {
      throw TLVError(reason: .unknownCriticalTag(element.tag), offset: element.offset)
    }
  }
}
