import Authenticator

extension Configuration {
  /// What root wrote that this version reads and checks, and that changes nothing: each as section and key.
  public var withoutEffect: [String] {
    let unbuilt = ConfiguredAuthenticator.allCases.filter { AuthenticatorType(rawValue: $0.rawValue) == nil }
    var names = unbuilt.filter(authenticators.contains).map { "\($0.rawValue) in authenticators" }
    names += unbuilt.filter { typeLocks[$0] != nil }.map { "\($0.rawValue).lock" }
    names += Self.withoutEffect(general, unlike: GeneralSettings(), in: "general")
    for (name, service) in services.sorted(by: { $0.key < $1.key }) {
      // A service has the keys of [general], which are told there.
      names += Self.withoutEffect(service.general, unlike: general, in: "service.\(name)")
    }
    return names
  }

  private static func withoutEffect(
    _ settings: GeneralSettings, unlike others: GeneralSettings, in section: String
  ) -> [String] {
    var names: [String] = []
    if settings.offline == .allow, others.offline != .allow { names.append("\(section).offline") }
    if settings.offlineMaximumAge != others.offlineMaximumAge { names.append("\(section).offline_max_age") }
    return names
  }
}
