// Purpose: every code that a login by the module can end with, and who can cause it.
// Each row is one declaration of the same form, because scripts/stacks.py reads this text.

extension PAMEnd {
  /// Every end but success.
  public static let all: [PAMEnd] = [
    // The module accepts these codes only before the first prompt.
    PAMEnd("PAM_SERVICE_ERR", .core, [1001, 1012], by: [.root], "the configuration or a module argument is wrong"),
    PAMEnd("PAM_SERVICE_ERR", .module, by: [.root], "a module argument is too long, or there are too many"),
    PAMEnd("PAM_IGNORE", .core, [1009], by: [.root], "nouserok, and nothing was ever registered for the account"),

    // The module accepts these codes only after a prompt: the secret is checked before the server's absence is
    // reported.
    PAMEnd(
      "PAM_AUTHINFO_UNAVAIL", .core, [4001], by: [.person, .network, .server, .machine],
      choices: [.fallback, .profile],
      "the value is right, and no connection to the server came about"),
    PAMEnd(
      "PAM_CRED_UNAVAIL", .core, [7009], by: [.person], choices: [.fallback, .profile],
      "cancel_text is configured, and the person chose the other way in"),

    PAMEnd(
      "PAM_AUTH_ERR", .core, by: [.person, .localUser, .afar, .network, .server, .machine],
      "wrong, refused, hidden, or anything that has no other code"),
    PAMEnd("PAM_AUTH_ERR", .module, by: [.person], "a caller without root asks for another account"),
    PAMEnd(
      "PAM_SYSTEM_ERR", .core, [10, 1006, 1007, 7011, 9999], by: [.person, .localUser, .root, .machine],
      "the core, its memory, its state or its time does not suffice"),
    PAMEnd(
      "PAM_SYSTEM_ERR", .module, by: [.person, .localUser, .root, .machine],
      "no memory, no core, a core without a verdict, a name whose lookup failed"),
    PAMEnd(
      "PAM_USER_UNKNOWN", .core, [1009, 1011, 19019], by: [.person, .localUser, .afar],
      "no such name, or nothing is registered for the account any more"),
    PAMEnd(
      "PAM_MAXTRIES", .core, [3013, 3014], by: [.person, .localUser, .afar, .machine],
      "locked, or the account's file is damaged"),
    PAMEnd(
      "PAM_CONV_ERR", .core, [999, 7010, 7014], by: [.person, .localUser], "cancelled, or nobody could be asked"),
    PAMEnd("PAM_CONV_ERR", .module, by: [.person, .localUser], "the host could not ask for a name"),
    PAMEnd(
      "PAM_AUTHTOK_ERR", .core, [3010, 3011, 7101, 7102, 7103, 7111, 7112, 7113],
      by: [.person, .localUser, .server, .machine],
      "in the password stage: nothing was changed"),
    PAMEnd(
      "PAM_AUTHTOK_ERR", .module, by: [.person, .localUser],
      "in the password stage: the second pass is not that of the first"),

    PAMEnd(
      "PAM_MODULE_UNKNOWN", .libpam, by: [.localUser, .root, .machine],
      "the module cannot be loaded: missing, or no memory or descriptor for it"),
    PAMEnd("PAM_SYMBOL_ERR", .libpam, by: [.localUser, .root, .machine], "the module has no function for the stage"),
    PAMEnd("PAM_OPEN_ERR", .libpam, by: [.localUser, .root, .machine], "a file of the stack cannot be read"),
    PAMEnd("PAM_BUF_ERR", .libpam, by: [.localUser, .machine], "no memory"),
    PAMEnd("PAM_ABORT", .libpam, by: [.localUser, .root, .machine], "the stack cannot be used"),
  ]
}
