import Authenticator

extension Configuration {
  /// What root wrote that this version reads and checks, and that changes nothing: each as section and key.
  public var withoutEffect: [String] {
    let unbuilt = ConfiguredAuthenticator.allCases.filter { AuthenticatorType(rawValue: $0.rawValue) == nil }
    var names = unbuilt.filter(authenticators.contains).map { "\($0.rawValue) in authenticators" }
    names += unbuilt.filter { typeLocks[$0] != nil }.map { "\($0.rawValue).lock" }
    if general.offlineMaximumAge != nil, !allowsOffline { names.append("general.offline_max_age") }
    for (name, service) in services.sorted(by: { $0.key < $1.key })
    where service.general.offline == .deny && service.general.offlineMaximumAge != general.offlineMaximumAge {
      // A service has the keys of [general], which are told there.
      names.append("service.\(name).offline_max_age")
    }
    return names
  }
}
