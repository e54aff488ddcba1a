import AuthenticatorTypes
import UAFDecoder
import UAFMessages
import UAFService
import WebAuthn

/// Parses policies: strict JSON, in which an unknown member is an error.
///
///     {
///       "accepted": [["passcode"], ["pattern"]],
///       "passkeys": {"userVerification": "required", "synced": false, "models": ["cb69481e-8ff7-4039-93ec-0a2729a154a8"]},
///       "groups": {
///         "operators": {"accounts": ["alice"], "accepted": [["passcode", "pattern"]]}
///       }
///     }
///
/// `accepted` is like that of a UAF policy: alternatives in order of preference, each with the authenticators that must be used
/// together. They are named by their type in this project, or by AAID. Without `accepted`, everybody may use each model by
/// itself.
///
/// Without `passkeys`, nobody may register or use one. An empty object accepts every passkey that verifies the person. `models`
/// are AAGUIDs: then a certificate must vouch for the passkey's model, and the model must be one of these.
package struct PolicyParser {
  private let models: AuthenticatorModels

  /// Makes a parser.
  ///
  /// - Parameter models: the models that the server knows; a policy can name no others.
  package init(models: AuthenticatorModels) {
    self.models = models
  }

  /// Parses policies.
  ///
  /// - Throws: ``PolicyProblem``, which names the wrong member. Nothing is skipped: a policy that is only partly understood
  ///   could accept people who must be refused.
  package func policies(_ bytes: [UInt8]) throws(PolicyProblem) -> AccountPolicies {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: bytes) } catch {
      throw failure(
        "the JSON text is not acceptable (\(error.reason)) at byte \(error.offset)",
        korean: "JSON이 올바르지 않습니다(\(error.offset)번째 바이트)")
    }
    let file = try members(json, .policy, allowed: ["accepted", "passkeys", "groups"])
    let everybody = try file["accepted"].map { json throws(PolicyProblem) in try sets(json, "accepted") }
    let passkeys = try file["passkeys"].map { json throws(PolicyProblem) in try self.passkeys(json, "passkeys") }
    var groups: [AccountGroup] = []
    var accounts: Set<String> = []
    if let list = file["groups"] {
      for (name, json) in try pairs(list, .member("groups")) {
        let group = try group(ShownValue.name(name), json)
        if let taken = accounts.intersection(group.accounts).min() {
          throw failure(
            "groups.\(group.name): \(ShownValue.quoted(taken)) is in another group too",
            korean: "groups.\(group.name): 다른 그룹에도 있는 계정입니다: \(ShownValue.quoted(taken))")
        }
        accounts.formUnion(group.accounts)
        groups.append(group)
      }
    }
    return AccountPolicies(everybody: everybody ?? AcceptedSets(each: models), passkeys: passkeys, groups: groups)
  }

  private func group(_ name: String, _ json: JSONValue) throws(PolicyProblem) -> AccountGroup {
    let place = "groups.\(name)"
    let group = try members(json, .member(place), allowed: ["accounts", "accepted", "passkeys"])
    guard let accepted = group["accepted"] else {
      throw failure("\(place).accepted is missing", korean: "\(place)에 accepted가 없습니다")
    }
    guard let list = group["accounts"] else {
      throw failure("\(place).accounts is missing", korean: "\(place)에 accounts가 없습니다")
    }
    let accounts = try distinct(list, "\(place).accounts") { account throws(PolicyProblem) in
      guard Username.isValid(account) else {
        throw failure(
          "\(place).accounts: \(ShownValue.quoted(account)) cannot be an account's name",
          korean: "\(place).accounts: 계정의 이름이 될 수 없습니다: \(ShownValue.quoted(account))")
      }
      return account
    }
    return AccountGroup(
      name: name, accounts: Set(accounts), accepted: try sets(accepted, "\(place).accepted"),
      passkeys: try group["passkeys"].map { json throws(PolicyProblem) in
        try passkeys(json, "\(place).passkeys")
      })
  }

  private func passkeys(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> PasskeyPolicy {
    let members = try members(json, .member(place), allowed: ["userVerification", "synced", "models"])
    let isRequired: Bool
    switch members["userVerification"] {
    case nil, .string("required"): isRequired = true
    case .string("preferred"): isRequired = false
    default:
      throw failure(
        "\(place).userVerification is neither \"required\" nor \"preferred\"",
        korean: "\(place).userVerification: \"required\"나 \"preferred\"여야 합니다")
    }
    let acceptsSynced: Bool
    switch members["synced"] {
    case nil: acceptsSynced = true
    case .bool(let synced): acceptsSynced = synced
    default:
      throw failure(
        "\(place).synced is neither true nor false", korean: "\(place).synced: true나 false여야 합니다")
    }
    let models = try members["models"].map { json throws(PolicyProblem) in
      try passkeyModels(json, "\(place).models")
    }
    return PasskeyPolicy(requiresUserVerification: isRequired, acceptsSynced: acceptsSynced, models: models)
  }

  private func passkeyModels(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> Set<AAGUID> {
    Set(
      try distinct(json, place) { text throws(PolicyProblem) in
        guard let aaguid = AAGUID(text: text), models.passkeys.contains(aaguid) else {
          throw failure(
            "\(place): there is no metadata statement about the AAGUID \(ShownValue.quoted(text))",
            korean: "\(place): 메타데이터가 없는 AAGUID입니다: \(ShownValue.quoted(text))")
        }
        return aaguid
      })
  }

  private func sets(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> AcceptedSets {
    guard case .array(let values) = json, !values.isEmpty else {
      throw failure("\(place) is not a list of sets", korean: "\(place): 인증 수단 묶음의 목록이어야 합니다")
    }
    var sets: [[AAID]] = []
    for (index, value) in values.enumerated() {
      let place = "\(place)[\(index)]"
      // Nobody could meet a set with a model twice, since two keys of one model count as one authenticator.
      let set = try distinct(value, place) { text throws(PolicyProblem) in try model(text, place) }
      guard set.count <= ResponseService.maximumAssertions else {
        throw failure(
          "\(place) has more than \(ResponseService.maximumAssertions) authenticators",
          korean: "\(place): 인증 수단이 \(ResponseService.maximumAssertions)개를 넘습니다")
      }
      sets.append(set)
    }
    return AcceptedSets(checked: sets)
  }

  private func model(_ text: String, _ place: String) throws(PolicyProblem) -> AAID {
    let name = AuthenticatorType(nameOrAAID: text)?.aaid ?? text
    guard let aaid = try? AAID(name), let model = models[aaid] else {
      throw failure(
        "\(place): \(ShownValue.quoted(text)) is not an authenticator of this server: see --metadata",
        korean: "\(place): 이 서버가 모르는 인증 수단입니다(--metadata): \(ShownValue.quoted(text))")
    }
    return model.description.aaid
  }

  // MARK: JSON

  /// What a list of texts names, in its order.
  ///
  /// - Throws: ``PolicyProblem`` if something is named twice, and what `read` throws.
  private func distinct<Value: Equatable>(
    _ json: JSONValue, _ place: String, _ read: (String) throws(PolicyProblem) -> Value
  ) throws(PolicyProblem) -> [Value] {
    var found: [Value] = []
    for text in try texts(json, place) {
      let value = try read(text)
      guard !found.contains(value) else {
        throw failure(
          "\(place): \(ShownValue.quoted(text)) appears twice",
          korean: "\(place): 두 번 있습니다: \(ShownValue.quoted(text))")
      }
      found.append(value)
    }
    return found
  }

  private func pairs(_ json: JSONValue, _ place: Place) throws(PolicyProblem) -> [(String, JSONValue)] {
    guard case .object(let object) = json else {
      throw failure("\(place.english) is not a JSON object", korean: "\(place.korean): JSON 객체여야 합니다")
    }
    return object.members.map { ($0.name, $0.value) }
  }

  private func members(
    _ json: JSONValue, _ place: Place, allowed: [String]
  ) throws(PolicyProblem) -> [String: JSONValue] {
    var found: [String: JSONValue] = [:]
    for (name, value) in try pairs(json, place) {
      guard allowed.contains(name) else {
        throw failure(
          "\(place.english): \(ShownValue.quoted(name)) is not one of \(allowed.joined(separator: ", "))",
          korean:
            "\(place.korean): 다음 가운데 하나가 아닙니다(\(allowed.joined(separator: ", "))): \(ShownValue.quoted(name))")
      }
      found[name] = value
    }
    return found
  }

  private func texts(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> [String] {
    guard case .array(let values) = json, !values.isEmpty else {
      throw failure("\(place) is not a list, or an empty one", korean: "\(place): 비어 있지 않은 목록이어야 합니다")
    }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else {
        throw failure("\(place) contains something other than text", korean: "\(place): 텍스트만 쓸 수 있습니다")
      }
      texts.append(text)
    }
    return texts
  }

  /// The JSON object that contains a fault.
  private enum Place {
    case policy
    case member(String)

    var english: String {
      switch self {
      case .policy: "the policy"
      case .member(let path): path
      }
    }

    var korean: String {
      switch self {
      case .policy: "정책"
      case .member(let path): path
      }
    }
  }

  private func failure(_ reason: String, korean: String) -> PolicyProblem {
    PolicyProblem(reason: reason, korean: korean)
  }
}

/// A fault in the text of a policy, described in two languages.
package struct PolicyProblem: Error, Equatable, Sendable {
  /// The description in English, in printable ASCII; it names the wrong member.
  package let reason: String
  /// The description in Korean.
  package let korean: String

  package init(reason: String, korean: String) {
    self.reason = reason
    self.korean = korean
  }
}
