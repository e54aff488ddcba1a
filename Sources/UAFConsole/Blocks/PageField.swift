/// One field of a form.
struct PageField: Equatable {
  enum Kind: Equatable {
    case text
    case number
    /// A text of several lines.
    case lines
    case file
    case hidden
    /// One of some values, each with what is shown for it.
    case choice([(value: String, text: String)])

    static func == (first: Kind, second: Kind) -> Bool {
      switch (first, second) {
      case (.text, .text), (.number, .number), (.lines, .lines), (.file, .file), (.hidden, .hidden):
        true
      case (.choice(let first), .choice(let second)): first.map(\.value) == second.map(\.value)
      default: false
      }
    }
  }

  let name: String
  let label: String
  var kind = Kind.text
  var value = ""
  var isRequired = false
  /// In characters.
  var maximum = 500

  static func hidden(_ name: String, _ value: String) -> PageField {
    PageField(name: name, label: "", kind: .hidden, value: value)
  }

  /// As the template reads it.
  ///
  /// - Parameter id: no other field of the page has it.
  func context(id: String) -> [String: Any] {
    var context: [String: Any] = [
      "id": id, "name": name, "label": label, "value": value, "isRequired": isRequired, "maximum": maximum,
      "isText": kind == .text, "isNumber": kind == .number, "isLines": kind == .lines,
      "isFile": kind == .file, "isHidden": kind == .hidden, "isChoice": false, "choices": [[String: Any]](),
    ]
    if case .choice(let choices) = kind {
      context["isChoice"] = true
      context["choices"] = choices.map { choice -> [String: Any] in
        ["choice": choice.value, "shown": choice.text, "isChosen": choice.value == value]
      }
    }
    return context
  }
}
