import UAFAdministration
import UAFService

/// What the list of people is searched by: the form's fields, and what is asked of the store.
struct PeopleSearch {
  private static let secondsOfDay: Int64 = 86_400
  private static let names = ["prefix", "state", "group", "idle"]

  let query: AccountQuery
  /// The policy's group; nil for all accounts.
  let group: String?

  /// Reads the search of a request.
  ///
  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)``.
  init(_ call: PageCall) throws(AdministrationRefusal) {
    var query = AccountQuery(
      prefix: call.fields["prefix"], after: call.fields["after"], limit: PageLimit.standard)
    if let state = call.value("state") {
      guard let known = SearchedState(rawValue: state) else { throw .invalid(field: "state", reason: "is unknown") }
      query.state = known
    }
    if call.value("idle") != nil {
      let days = try call.number("idle")
      guard (0...36_500).contains(days) else { throw .invalid(field: "idle", reason: "must be 0 to 36500 days") }
      query.idleSince = call.environment.now - days * Self.secondsOfDay
    }
    self.query = query
    group = call.value("group")
  }

  static func form(_ call: PageCall) -> PageForm {
    let states: [(value: String, text: String)] = [
      ("", call.text(.any)), (SearchedState.active.rawValue, call.text(.active)),
      (SearchedState.disabled.rawValue, call.text(.disabled)), (SearchedState.locked.rawValue, call.text(.locked)),
    ]
    return PageForm(
      title: call.text(.search), action: "/console/people", button: call.text(.search),
      fields: [
        PageField(name: "prefix", label: call.text(.beginsWith), value: call.fields["prefix"], maximum: 128),
        PageField(name: "state", label: call.text(.state), kind: .choice(states), value: call.fields["state"]),
        PageField(name: "group", label: call.text(.group), value: call.fields["group"]),
        PageField(name: "idle", label: call.text(.idleDays), kind: .number, value: call.fields["idle"]),
      ], isSearch: true)
  }

  /// A link to the page that follows, with the same search.
  static func next(_ after: String, _ call: PageCall) -> PageCell {
    call.next("/console/people", names.map { ($0, call.fields[$0]) } + [("after", after)])
  }
}
