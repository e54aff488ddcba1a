extension Configuration {
  /// Each section with settings for logins: `general`, and `service.NAME` for every service that has its own.
  public var sections: [(name: String, settings: ServiceSettings)] {
    let own = services.sorted { $0.key < $1.key }.map { (name: "service.\($0.key)", settings: $0.value) }
    return [(name: "general", settings: ServiceSettings(general: general, prompt: prompt))] + own
  }
}
