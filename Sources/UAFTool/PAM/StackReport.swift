import Doctor
import PAMStacks
import UAFMessages

/// Which services ask for the passcode and which do not, as one JSON object for scripts (uafctl(1), "STACKS").
struct StackReport {
  let list: StackList
  let entries: [StackList.Entry]
  let doors: ServiceDoors

  /// The object, in one line; it is the same in every language.
  var text: String {
    // Where nobody asks, nothing is missing, as in the list for people.
    let members = entries.isEmpty ? [] : doors.openMembers()
    let polkit = entries.isEmpty ? nil : doors.openPolkit()
    var object: JSONObject = [
      "version": .string(ToolVersion.number), "services": .array(entries.map(service)),
      "otherNames": .array(members.map(Self.member)),
      "others": .array(entries.isEmpty ? [] : doors.openOthers().map { .string($0) }),
    ]
    object.set("polkit", polkit.map(Self.member))
    object.set("sudoService", doors.openSudo().map { .string($0) })
    let asked = doors.askedBySudo()
    if !asked.isEmpty { object.set("sudoAsks", .array(asked.map { .string($0.rawValue) })) }
    return JSONValue.object(object).text
  }

  private func service(_ entry: StackList.Entry) -> JSONValue {
    var object: JSONObject = ["name": .string(entry.name)]
    switch entry.origin {
    case .enabled(let template, let isEdited):
      object.set("origin", .string("enabled"))
      object.set("template", .string(template))
      object.set("edited", .bool(isEdited))
    case .unused: object.set("origin", .string("unused"))
    case .profile: object.set("origin", .string("profile"))
    case .byHand: object.set("origin", .string("byHand"))
    }
    if let place = list.passing(entry) {
      object.set(
        "passedOver", .object(["file": .string(place.path), "line": .integer(Int64(place.line))]))
    }
    return .object(object)
  }

  private static func member(_ member: ServiceDoors.OpenMember) -> JSONValue {
    .object(["name": .string(member.name), "asking": .string(member.asking)])
  }
}
