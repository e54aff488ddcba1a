@testable import UAFMessages

extension FuzzTarget {
  private static let appID = "https://example.org/appid"

  /// A server's policy: read again it is the same, and it accepts nothing that it disallows.
  static func policy(_ bytes: [UInt8]) {
    guard let policy = try? Policy(parsing: bytes) else { return }
    precondition((try? Policy(parsing: policy.jsonBytes)) == policy, "writes what it does not read")
    guard let authenticators = try? offered(policy) else { preconditionFailure("no authenticators") }
    let sets = policy.acceptableSets(among: authenticators, appID: appID)
    precondition(sets.count <= 64, "more ways than anybody chooses among")
    let refused = authenticators.filter { one in policy.disallowed.contains { $0.matches(one, appID: appID) } }
    for chosen in sets {
      let names = chosen.map(\.aaid)
      precondition(names.allSatisfy { name in names.count { $0 == name } == 1 }, "one authenticator for two criteria")
      precondition(!refused.contains { names.contains($0.aaid) }, "accepts what it disallows")
    }
    _ = authenticators.map { policy.leavesOut($0, appID: appID) }
    if sets.isEmpty {
      _ = policy.registrationShortfall(among: authenticators, appID: appID)
      _ = policy.authenticationShortfall(among: authenticators, appID: appID)
    }
  }

  /// A passcode and a fingerprint reader, the first with the keys that the policy names.
  private static func offered(_ policy: Policy) throws -> [AuthenticatorDescription] {
    let named = policy.accepted.joined().flatMap { $0.keyIDs ?? [] }
    let registrations = named.isEmpty ? [] : [AuthenticatorDescription.Registrations(appID: appID, keyIDs: named)]
    return [
      AuthenticatorDescription(aaid: try AAID("5541#0001"), userVerification: 4, registrations: registrations),
      AuthenticatorDescription(
        aaid: try AAID("5541#0002"), userVerification: 2, keyProtection: 2, matcherProtection: 4),
    ]
  }

  /// A server's list of facets: it trusts what it names, and no web origin on another site.
  static func trustedFacets(_ bytes: [UInt8]) {
    guard let list = try? TrustedFacetList(parsing: bytes) else { return }
    precondition((try? TrustedFacetList(parsing: list.jsonBytes)) == list, "writes what it does not read")
    guard let address = HTTPSAddress(appID) else { preconditionFailure("no address") }
    for entry in list.trustedFacets {
      for facetID in entry.ids {
        precondition(list.trusts(facetID, version: entry.version), "does not trust what it names")
        let isTrusted = list.trusts(facetID, version: entry.version, appID: address) { $0.host == $1.host }
        guard let origin = HTTPSAddress(facetID) ?? HTTPSAddress(facetID, orPlainHere: true) else { continue }
        precondition(!isTrusted || origin.host == address.host, "trusts another site")
        let again = HTTPSAddress("https://\(origin.host):\(origin.port)")
        precondition(again?.host == origin.host && again?.port == origin.port, "reads itself otherwise")
      }
    }
  }
}
