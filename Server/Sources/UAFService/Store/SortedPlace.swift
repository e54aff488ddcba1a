import UAFMessages

/// By what the rows of a list can be sorted.
package protocol ListOrder: RawRepresentable<String>, Equatable, Sendable {
  /// Whether rows are sorted by a text, and not by a number.
  var isOfTexts: Bool { get }
  /// Whether rows are sorted by their keys.
  var isByKey: Bool { get }
}

/// The place of a row in an order: the value by which it is sorted, and its key.
package struct SortedPlace<Order: ListOrder>: Equatable, Sendable {
  /// A value by which rows are sorted; an unknown time is -1, and a missing text is empty.
  package enum Value: Equatable, Sendable {
    case text(String)
    case number(Int64)
  }

  package let order: Order
  package let value: Value
  /// The ID of a machine, or the name of an account.
  package let id: String

  package init(order: Order, value: Value, id: String) {
    self.order = order
    self.value = value
    self.id = id
  }

  /// The form in which a reader of pages sends it back: the key, or order, value and key in JSON as base64url.
  package var text: String {
    guard !order.isByKey else { return id }
    let value: JSONValue =
      switch value {
      case .text(let text): .string(text)
      case .number(let number): .integer(number)
      }
    return Base64URL.encode(Array(JSONValue.array([.string(order.rawValue), value, .string(id)]).text.utf8))
  }

  /// Reads the text that ``text`` writes for an order, at most 4096 bytes; nil for anything else.
  package init?(text: String, in order: Order) {
    guard !order.isByKey else {
      self.init(order: order, value: .text(text), id: text)
      return
    }
    guard let bytes = try? Base64URL.decode(text, maximumCount: 4096),
      case .array(let parts)? = try? JSONValue(parsing: bytes), parts.count == 3,
      parts[0] == .string(order.rawValue), case .string(let id) = parts[2]
    else { return nil }
    switch (order.isOfTexts, parts[1]) {
    case (true, .string(let text)): self.init(order: order, value: .text(text), id: id)
    case (false, .integer(let number)): self.init(order: order, value: .number(number), id: id)
    default: return nil
    }
  }
}
