import UAFAdministration
import UAFService

/// One of the places of the console: a group of pages with an entry in the menu.
enum Place: CaseIterable {
  case overview
  case people
  case machines
  case policies
  case audit
  case settings

  /// The place that a page or form belongs to; nil for pages that belong to none, such as a confirmation.
  init?(path: String) {
    guard path != "/console" else {
      self = .overview
      return
    }
    // The longer beginning comes first where one contains the other.
    let beginnings: [(String, Place)] = [
      ("/console/machine-polic", .policies), ("/console/polic", .policies), ("/console/machine", .machines),
      ("/console/join-codes", .machines), ("/console/pe", .people), ("/console/codes", .people),
      ("/console/enrol-list", .people), ("/console/approval", .people), ("/console/unable", .people),
      ("/console/groups", .people),
      ("/console/audit", .audit), ("/console/settings", .settings), ("/console/tokens", .settings),
      ("/console/administrators", .settings), ("/console/about", .settings),
    ]
    guard let found = beginnings.first(where: { path.hasPrefix($0.0) }) else { return nil }
    self = found.1
  }

  var text: PageText {
    switch self {
    case .overview: .overview
    case .people: .people
    case .machines: .machines
    case .policies: .policies
    case .audit: .audit
    case .settings: .settingsPlace
    }
  }

  var icon: Icon {
    switch self {
    case .overview: .overview
    case .people: .people
    case .machines: .machines
    case .policies: .policies
    case .audit: .audit
    case .settings: .settings
    }
  }
}

/// The menu: the places, and the pages of the place where the reader is.
struct PlaceMenu {
  let path: String
  let role: Role
  let language: PageLanguage

  private func pages(of place: Place) -> [PageRoutes.Route] {
    PageRoutes.all.filter { route in
      route.menu != nil && Place(path: route.path) == place && role.allows(route.permission)
    }
  }

  /// A page that is reached from a list leads back to the list; nil for a page of the menu itself.
  var back: PageCell? {
    guard let place = Place(path: path), let first = pages(of: place).first,
      !pages(of: place).contains(where: { $0.path == path })
    else { return nil }
    // The list whose path the page's path continues, such as `groups` for `groups/rename`; or else the place's first list.
    let list = pages(of: place).first { $0.path != "/console" && path.hasPrefix($0.path + "/") } ?? first
    return PageCell(language.text(list.menu ?? place.text), link: list.path)
  }

  var context: [String: Any] {
    let here = Place(path: path)
    let inside = here.map(pages) ?? []
    let label = language.text(.findPerson)
    return [
      "anywhere": [
        "boxId": "anywhere", "boxLabel": label, "boxName": PeopleSearch.boxName, "boxValue": "", "boxMaximum": 64,
        "boxHint": label, "searchIcon": Icon.search.path,
      ] as [String: Any],
      "places": Place.allCases.compactMap { place -> [String: Any]? in
        guard let first = pages(of: place).first else { return nil }
        return [
          "placeLink": first.path, "shown": language.text(place.text), "iconPath": place.icon.path,
          "isHere": place == here, "isCurrent": first.path == path, "hasPages": place == here && inside.count > 1,
          "pages": inside.map { route -> [String: Any] in
            ["href": route.path, "shown": language.text(route.menu ?? .menu), "isCurrent": route.path == path]
          },
        ]
      },
    ]
  }
}
