import UAFConfiguration
import UAFMessages

/// How the server's policy for this machine stands, as the core's *status* says it.
package struct FollowedPolicyState: Equatable {
  /// The sections that root lends to the server.
  let followed: [String]
  /// False only where the core says that this machine has joined no server.
  let hasJoined: Bool
  /// The version that is in force; nil for none.
  package let version: Int64?
  /// When it was signed, and until when it is good, in seconds since 1970; nil where the core does not say.
  let issued: Int64?
  let expires: Int64?
  /// Its text, in TOML; nil where the core does not say.
  package let text: [UInt8]?
  /// That it has expired or, without a version, why the kept one is not in force.
  let note: String?
  /// The keys whose values come from it, each once.
  let keys: [String]

  /// Reads the member `policy`; nil where it is none.
  init?(_ value: JSONValue?) {
    guard case .object(let object)? = value, case .array(let list)? = object["follow"] else { return nil }
    func text(_ value: JSONValue?) -> String? { if case .string(let text)? = value { text } else { nil } }
    func number(_ name: String) -> Int64? { if case .integer(let number)? = object[name] { number } else { nil } }
    followed = list.compactMap { text($0) }
    hasJoined = if case .bool(false)? = object["joined"] { false } else { true }
    version = number("version")
    issued = number("issued")
    expires = number("expires")
    note = text(object["note"])
    self.text = text(object["toml"]).flatMap { try? Base64URL.decode($0, maximumCount: LentSettings.maximumSize) }
    var keys: [String] = []
    if let version = version, case .array(let values)? = object["values"] {
      for case .object(let setting) in values where text(setting["from"]) == "policy \(version)" {
        if let key = text(setting["key"]), !keys.contains(key) { keys.append(key) }
      }
    }
    self.keys = keys
  }
}
