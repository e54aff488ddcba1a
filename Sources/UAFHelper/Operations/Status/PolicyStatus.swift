import UAFConfiguration
import UAFMessages

/// What *status* says of the server's policy: which is in force, and where each value comes from that it can change.
struct PolicyStatus {
  let policy: CallPolicy

  /// Nil where root lends nothing to the server.
  var json: JSONValue? {
    guard policy.keeper.isFollowing else { return nil }
    let followed = policy.keeper.own.policy.followed.map { JSONValue.string($0.rawValue) }
    var object: JSONObject = ["follow": .array(followed), "joined": .bool(policy.standing.hasJoined)]
    if let kept = policy.standing.policy {
      object.set("version", .integer(kept.version))
      object.set("issued", .integer(kept.issuedAt))
      object.set("expires", .integer(kept.expiresAt))
      // In base64url its length is known. With JSON's escapes the document could become longer than it may be.
      object.set("toml", .string(Base64URL.encode(kept.text.utf8)))
    }
    object.set("note", policy.standing.note.map(JSONValue.string))
    let values = SettingOrigins(own: policy.keeper.own, now: policy.configuration).all.map { setting in
      JSONValue.object([
        "key": .string(setting.key), "value": .string(setting.value), "from": .string(setting.origin),
      ])
    }
    object.set("values", .array(values))
    return .object(object)
  }
}
