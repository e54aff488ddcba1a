extension JSONValue {
  /// A list of the specification's types; an empty one is nil, because an empty list must not be sent.
  static func list(_ elements: [some JSONRepresentable]) -> JSONValue? {
    elements.isEmpty ? nil : .array(elements.map { $0.json })
  }

  static func integers(_ numbers: [UInt16]) -> JSONValue? {
    numbers.isEmpty ? nil : .array(numbers.map { .integer(Int64($0)) })
  }

  static func strings(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }
}
