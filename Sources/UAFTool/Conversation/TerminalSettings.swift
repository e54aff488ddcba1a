import UAFConfiguration

/// What root's configuration says about entries at a terminal, as far as the caller may read it.
struct TerminalSettings {
  /// `[pattern.appearance]`.
  var appearance: PatternAppearance
  /// Linear words instead of a grid.
  var isAccessible: Bool
  /// Whether an entry of full length is taken without Enter.
  var takesFullEntries: Bool

  /// The configuration's settings.
  ///
  /// What cannot be read or is wrong gets the defaults: the core reports the error.
  ///
  /// - Parameter path: root's `--conf`; nil for this machine's.
  init(_ path: String?, in context: ToolContext) {
    let installation = context.installation
    let configuration =
      (try? Configuration.load(
        path: path, defaultPath: installation.configurationPath, requiredOwner: installation.owner)) ?? Configuration()
    appearance = configuration.pattern.appearance
    takesFullEntries = configuration.passcode.autoSubmit
    isAccessible = configuration.settings(for: "uafctl").prompt.accessible
  }
}
