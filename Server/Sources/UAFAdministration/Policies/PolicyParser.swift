import AuthenticatorTypes
import UAFDecoder
import UAFMessages
import UAFService

/// Reads policies: strict JSON; an unknown member is an error.
///
///     {
///       "accepted": [["passcode"], ["pattern"]],
///       "groups": {
///         "operators": {"accounts": ["alice"], "accepted": [["passcode", "pattern"]]}
///       }
///     }
///
/// `accepted` is as in a UAF policy: alternatives in order of preference, each with the authenticators that are used together,
/// by this project's names or by AAID. Without `accepted` everybody may use each model alone.
package struct PolicyParser {
  private let models: AuthenticatorModels

  /// Makes a parser.
  ///
  /// - Parameter models: the models that the server knows; a policy can name no others.
  package init(models: AuthenticatorModels) {
    self.models = models
  }

  /// Reads policies.
  ///
  /// - Throws: ``PolicyProblem``, which names the wrong member. A policy that is only half understood could accept people who
  ///   must be refused.
  package func policies(_ bytes: [UInt8]) throws(PolicyProblem) -> AccountPolicies {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: bytes) } catch {
      throw failure("the JSON text is not acceptable (\(error.reason)) at byte \(error.offset)")
    }
    let file = try members(json, "the policy", allowed: ["accepted", "groups"])
    let everybody = try file["accepted"].map { json throws(PolicyProblem) in try sets(json, "accepted") }
    var groups: [AccountGroup] = []
    var accounts: Set<String> = []
    if let list = file["groups"] {
      for (name, json) in try pairs(list, "groups") {
        let group = try group(ShownValue.name(name), json)
        if let taken = accounts.intersection(group.accounts).min() {
          throw failure("groups.\(group.name): \(ShownValue.quoted(taken)) is in another group too")
        }
        accounts.formUnion(group.accounts)
        groups.append(group)
      }
    }
    return AccountPolicies(everybody: everybody ?? AcceptedSets(each: models), groups: groups)
  }

  private func group(_ name: String, _ json: JSONValue) throws(PolicyProblem) -> AccountGroup {
    let place = "groups.\(name)"
    let group = try members(json, place, allowed: ["accounts", "accepted"])
    guard let accepted = group["accepted"] else { throw failure("\(place).accepted is missing") }
    guard let list = group["accounts"] else { throw failure("\(place).accounts is missing") }
    var accounts: Set<String> = []
    for account in try texts(list, "\(place).accounts") {
      guard Username.isValid(account) else {
        throw failure("\(place).accounts: \(ShownValue.quoted(account)) cannot be the name of an account")
      }
      guard accounts.insert(account).inserted else {
        throw failure("\(place).accounts: \(ShownValue.quoted(account)) is there twice")
      }
    }
    return AccountGroup(name: name, accounts: accounts, accepted: try sets(accepted, "\(place).accepted"))
  }

  private func sets(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> AcceptedSets {
    guard case .array(let values) = json, !values.isEmpty else { throw failure("\(place) is not a list of sets") }
    var sets: [[AAID]] = []
    for (index, value) in values.enumerated() {
      let place = "\(place)[\(index)]"
      var set: [AAID] = []
      for text in try texts(value, place) {
        let aaid = try model(text, place)
        // Two keys of one model count as one authenticator, so nobody could meet such a set.
        guard !set.contains(aaid) else { throw failure("\(place): \(ShownValue.quoted(text)) is there twice") }
        set.append(aaid)
      }
      guard set.count <= ResponseService.maximumAssertions else {
        throw failure("\(place) has more than \(ResponseService.maximumAssertions) authenticators")
      }
      sets.append(set)
    }
    return AcceptedSets(checked: sets)
  }

  private func model(_ text: String, _ place: String) throws(PolicyProblem) -> AAID {
    let name = AuthenticatorType(nameOrAAID: text)?.aaid ?? text
    guard let aaid = try? AAID(name), let model = models[aaid] else {
      throw failure("\(place): \(ShownValue.quoted(text)) is not an authenticator of this server: see --metadata")
    }
    return model.description.aaid
  }

  // MARK: JSON

  private func pairs(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> [(String, JSONValue)] {
    guard case .object(let object) = json else { throw failure("\(place) is not a JSON object") }
    return object.members.map { ($0.name, $0.value) }
  }

  private func members(
    _ json: JSONValue, _ place: String, allowed: [String]
  ) throws(PolicyProblem) -> [String: JSONValue] {
    var found: [String: JSONValue] = [:]
    for (name, value) in try pairs(json, place) {
      guard allowed.contains(name) else {
        throw failure("\(place): \(ShownValue.quoted(name)) is not one of \(allowed.joined(separator: ", "))")
      }
      found[name] = value
    }
    return found
  }

  private func texts(_ json: JSONValue, _ place: String) throws(PolicyProblem) -> [String] {
    guard case .array(let values) = json, !values.isEmpty else {
      throw failure("\(place) is not a list, or an empty one")
    }
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { throw failure("\(place) has something else than text in it") }
      texts.append(text)
    }
    return texts
  }

  private func failure(_ reason: String) -> PolicyProblem { PolicyProblem(reason: reason) }
}

/// A fault in the text of a policy.
package struct PolicyProblem: Error, Equatable {
  /// Names the wrong member, in printable ASCII.
  package let reason: String
}
