/// `[state]`: where accounts are kept and how costly a guess is.
public struct StateSettings: Equatable, Sendable {
  /// The folder of the device key and the accounts.
  public internal(set) var directory = "/var/lib/pam-uaf"
  /// The key derivation's cost: scrypt with N two to this power, r 8, p 2.
  public internal(set) var kdfCost = 16

  /// What `kdf_cost` may be.
  public static let kdfCostRange = 14...20
  /// What it may be for demonstrations against a loopback server.
  public static let demonstrationKDFCostRange = 10...20

  static var settings: [Setting<StateSettings>] {
    [
      .text("directory", \.directory, allowed: AllowedText.absolutePathWords, AllowedText.absolutePath),
      .integer("kdf_cost", \.kdfCost, demonstrationKDFCostRange),
    ]
  }
}
