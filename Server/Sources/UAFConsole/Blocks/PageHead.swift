/// The head of the page of one thing or of a list: what it is, its state, and what can be done with it.
struct PageHead: Equatable {
  /// A short text below the name.
  var subtitle = ""
  /// The states of the thing, the most important first.
  var states: [PageState] = []
  /// The one likely next step.
  var primary: PageAction?
  /// The other steps; each opens a page that says what will happen.
  var more: [PageAction] = []
  /// The steps that take something away, which come last and stand apart.
  var dangerous: [PageAction] = []

  /// The values for the template.
  ///
  /// - Parameters:
  ///   - more: the word for the list of the other steps.
  ///   - csrf: the session's token against cross-site request forgery.
  func context(more word: String, csrf: String) -> [String: Any] {
    [
      "hasSubtitle": !subtitle.isEmpty, "subtitle": subtitle, "states": states.map(\.context),
      "primary": primary.map { $0.context as Any } ?? false, "hasMore": !more.isEmpty || !dangerous.isEmpty,
      "moreWord": word, "more": more.map(\.context), "dangerous": dangerous.map(\.context),
      "hasDangerous": !dangerous.isEmpty, "csrf": csrf,
    ]
  }
}

/// A step that a page offers, as a link to the page that says what will happen.
struct PageAction: Equatable {
  let text: String
  let link: String
  var icon: Icon?

  var context: [String: Any] {
    ["shown": text, "href": link, "hasIcon": icon != nil, "iconPath": icon?.path ?? ""]
  }
}

/// The search of a list: a box, filters as chips, and further fields that are folded away.
struct PageSearch: Equatable {
  struct Chip: Equatable {
    let text: String
    let link: String
    let isChosen: Bool
  }

  let action: String
  let button: String
  /// The box of the search.
  let box: PageField
  let chips: [Chip]
  /// What the chips are, for screen readers.
  let chipTitle: String
  /// The title of the further fields.
  var moreTitle = ""
  var more: [PageField] = []
  /// The filters that the search keeps.
  var kept: [PageField] = []
  /// Whether the page's script searches while somebody types, without the button.
  var isLive = false

  /// - Parameter number: a number that is unique on the page.
  func context(number: Int) -> [String: Any] {
    [
      "action": action, "button": button, "boxId": "search-\(number)", "boxLabel": box.label, "boxName": box.name,
      "boxValue": box.value, "boxMaximum": box.maximum, "boxHint": "", "searchIcon": Icon.search.path, "isLive": isLive,
      "hasChips": !chips.isEmpty,
      "chipTitle": chipTitle,
      "chips": chips.map { ["shown": $0.text, "href": $0.link, "isChosen": $0.isChosen] as [String: Any] },
      "hasMore": !more.isEmpty, "moreTitle": moreTitle, "isOpen": more.contains { !$0.value.isEmpty },
      "fields": more.enumerated().map { $1.context(id: "search-\(number)-\($0)") },
      "kept": kept.filter { !$0.value.isEmpty }.map { $0.context(id: "") },
    ]
  }
}
