/// What a line's result does to the stack, where it is written out: `success=1 default=ignore`.
struct PAMControl {
  /// What stands behind each name, as it stands there.
  let actions: [String: String]

  /// Reads what stands between the brackets, or without any; nil for what libpam does not understand.
  ///
  /// It then takes every result for a refusal.
  init?(_ text: Substring) {
    let spaced = text.replacing("=", with: " = ").split { $0 == " " || $0 == "\t" || $0 == "\n" }
    guard !spaced.isEmpty, spaced.count.isMultiple(of: 3) else { return nil }
    var actions: [String: String] = [:]
    for index in stride(from: 0, to: spaced.count, by: 3) {
      let (name, action) = (spaced[index], spaced[index + 2])
      guard spaced[index + 1] == "=", Self.names.contains(name), Self.isAction(action) else { return nil }
      // The last one counts.
      actions[String(name)] = String(action)
    }
    self.actions = actions
  }

  private static func isAction(_ text: Substring) -> Bool {
    if ["ignore", "ok", "done", "bad", "die", "reset"].contains(text) { return true }
    return text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } && (Int(text) ?? 0) > 0
  }

  // pam.conf(5).
  private static let names: Set<Substring> = [
    "success", "open_err", "symbol_err", "service_err", "system_err", "buf_err", "perm_denied", "auth_err",
    "cred_insufficient", "authinfo_unavail", "user_unknown", "maxtries", "new_authtok_reqd", "acct_expired",
    "session_err", "cred_unavail", "cred_expired", "cred_err", "no_module_data", "conv_err", "authtok_err",
    "authtok_recover_err", "authtok_lock_busy", "authtok_disable_aging", "try_again", "ignore", "abort",
    "authtok_expired", "module_unknown", "bad_item", "conv_again", "incomplete", "default",
  ]
}
