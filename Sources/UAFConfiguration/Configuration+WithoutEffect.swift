import ServiceNames

extension Configuration {
  /// Settings that this version reads and checks although they change nothing: each as section and key.
  public var withoutEffect: [String] {
    let unbuilt = ConfiguredAuthenticator.allCases.filter { $0.type == nil }
    var names = unbuilt.filter(authenticators.contains).map { "\($0.rawValue) in authenticators" }
    names += unbuilt.filter { typeLocks[$0] != nil }.map { "\($0.rawValue).lock" }
    if general.offlineMaximumAge != nil, !allowsOffline { names.append("general.offline_max_age") }
    if !policy.followed.isEmpty, server?.requiresSignedVerdict != true { names.append("policy.follow") }
    for (name, service) in services.sorted(by: { $0.key < $1.key }) where service.general.offline == .deny {
      // A service has the keys of [general], or of its program's main name: those are reported there.
      let above = ServiceFamily.of(name).flatMap { name == $0.main ? nil : services[$0.main]?.general } ?? general
      guard service.general.offlineMaximumAge != above.offlineMaximumAge else { continue }
      names.append("service.\(name).offline_max_age")
    }
    return names
  }
}
