/// A form of a page.
struct PageForm: Equatable {
  let title: String
  let action: String
  let button: String
  var fields: [PageField] = []
  /// Whether the form only opens a page, and so is sent with GET.
  var isSearch = false
  /// Whether the form removes something, so that its button is marked.
  var isDangerous = false
  /// Whether the form uploads a file.
  var isUpload = false
  /// Whether the button is not the page's main one.
  var isQuiet = false
  /// A link beside the button that leads back; nil for none.
  var cancel: PageCell?

  /// The values for the template.
  ///
  /// - Parameters:
  ///   - number: a number that is unique on the page.
  ///   - csrf: the session's token against cross-site request forgery.
  func context(number: Int, csrf: String) -> [String: Any] {
    [
      "formTitle": title, "id": "form-\(number)", "action": action, "button": button, "isDangerous": isDangerous,
      "isPost": !isSearch, "isUpload": isUpload, "method": isSearch ? "get" : "post", "csrf": csrf,
      "isQuiet": isQuiet, "isBare": fields.allSatisfy { $0.kind == .hidden } && cancel == nil,
      "hasCancel": cancel != nil, "cancel": cancel?.text ?? "", "cancelLink": cancel?.link ?? "",
      "fields": fields.enumerated().map { $1.context(id: "field-\(number)-\($0)") },
    ]
  }
}

/// One field of a form.
struct PageField: Equatable {
  enum Kind: Equatable {
    case text
    case number
    /// A length of time: a number and its unit, in two fields. The value is in seconds.
    case length([(unit: LengthUnit, text: String)])
    /// A text of several lines.
    case lines
    case file
    case hidden
    /// A choice between values, each with its text on the page.
    case choice([(value: String, text: String)])

    static func == (first: Kind, second: Kind) -> Bool {
      switch (first, second) {
      case (.text, .text), (.number, .number), (.lines, .lines), (.file, .file), (.hidden, .hidden), (.length, .length):
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
  /// The longest value, in characters.
  var maximum = 500
  /// A sentence below the field that says what it is for; empty for none.
  var hint = ""

  static func hidden(_ name: String, _ value: String) -> PageField {
    PageField(name: name, label: "", kind: .hidden, value: value)
  }

  /// The values for the template.
  ///
  /// - Parameter id: an ID that is unique on the page.
  func context(id: String) -> [String: Any] {
    var context: [String: Any] = [
      "id": id, "name": name, "label": label, "value": value, "isRequired": isRequired, "maximum": maximum,
      "isText": kind == .text, "isNumber": kind == .number, "isLines": kind == .lines, "isLength": false,
      "isFile": kind == .file, "isHidden": kind == .hidden, "isChoice": false, "choices": [[String: Any]](),
      "hasHint": !hint.isEmpty, "hint": hint,
    ]
    switch kind {
    case .choice(let choices):
      context["isChoice"] = true
      context["choices"] = choices.map { choice -> [String: Any] in
        ["choice": choice.value, "shown": choice.text, "isChosen": choice.value == value]
      }
    case .length(let units):
      let length = Int64(value).map(LengthUnit.split)
      context["isLength"] = true
      context["value"] = length.map { String($0.count) } ?? value
      context["unitName"] = name + LengthUnit.suffix
      context["choices"] = units.map { choice -> [String: Any] in
        ["choice": choice.unit.rawValue, "shown": choice.text, "isChosen": choice.unit == length?.unit]
      }
    default: break
    }
    return context
  }
}

/// A unit in which people say how long something lasts.
enum LengthUnit: String, CaseIterable, Sendable {
  case seconds
  case minutes
  case hours
  case days

  /// What the name of the unit's field has after the name of the number's field.
  static let suffix = "Unit"

  var seconds: Int64 {
    switch self {
    case .seconds: 1
    case .minutes: 60
    case .hours: 3600
    case .days: 86_400
    }
  }

  var label: PageText {
    switch self {
    case .seconds: .unitSeconds
    case .minutes: .unitMinutes
    case .hours: .unitHours
    case .days: .unitDays
    }
  }

  /// A length in the largest unit of which it is a whole number.
  static func split(_ seconds: Int64) -> (count: Int64, unit: LengthUnit) {
    let unit = allCases.last { seconds > 0 && seconds.isMultiple(of: $0.seconds) } ?? .seconds
    return (seconds / unit.seconds, unit)
  }
}
