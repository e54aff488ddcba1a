/// The icons of the console, as paths of SVG on a square of 24 units that are stroked and not filled.
///
/// An icon always stands beside a word, so it is hidden from screen readers.
enum Icon: String, CaseIterable, Sendable {
  case overview
  case people
  case machines
  case policies
  case audit
  case settings
  case check
  case lock
  case ban
  case warning
  case clock
  case key
  case plus
  case cross
  case unlock
  case search

  /// The `d` of the path.
  var path: String {
    switch self {
    case .overview: "M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z"
    case .people:
      "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.4M18 14.4a6.5 6.5 0 0 1 3.5 5.6"
    case .machines: "M3 5h18v11H3zM9 20h6M12 16v4"
    case .policies: "M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7"
    case .audit: "M4 6h2M9 6h11M4 12h2M9 12h11M4 18h2M9 18h11"
    case .settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h12M20 12h0M18 10v4"
    case .check: "M4 12.5l5 5L20 6.5"
    case .lock: "M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3"
    case .ban: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M6 6l12 12"
    case .warning: "M12 4L2.5 20h19zM12 10v5M12 17.5v.5"
    case .clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7v5l3.5 2"
    case .key: "M8 12.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M10.5 13.5L20 4M16 8l3 3"
    case .plus: "M12 5v14M5 12h14"
    case .cross: "M6 6l12 12M18 6L6 18"
    case .unlock: "M5 11h14v9H5zM8 11V8a4 4 0 0 1 7.6-1.7"
    case .search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5L20 20"
    }
  }
}

/// The state of a thing: a word with a colour and an icon.
struct PageState: Equatable {
  /// What the colour says; the word says the same.
  enum Tone: String {
    case good
    case warn
    case bad
    case quiet
  }

  let word: String
  let tone: Tone
  let icon: Icon

  /// The values for the template.
  var context: [String: Any] { ["word": word, "tone": tone.rawValue, "iconPath": icon.path] }
}
