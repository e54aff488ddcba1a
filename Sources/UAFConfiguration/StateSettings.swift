/// `[state]`: where accounts are kept and how costly a guess is.
public struct StateSettings: Equatable, Sendable {
  /// The folder of the device key and the accounts.
  public internal(set) var directory = "/var/lib/pam-uaf"
  /// The key derivation's cost as root has written it: scrypt with N two to this power, r 8, p 2; nil for the default.
  public internal(set) var kdfCost: Int?

  /// The cost where root has written none.
  public static let defaultKDFCost = 16
  /// The same for a value whose wrong entries a chip counts: who guesses has to ask the chip.
  public static let defaultKDFCostWithIndex = 14

  /// What `kdf_cost` may be.
  public static let kdfCostRange = 14...20
  /// What it may be for demonstrations against a loopback server.
  public static let demonstrationKDFCostRange = 10...20

  /// The file of the state folder in which `uafctl trust` keeps the server of a payload, written as configuration.
  public static let trustFileName = "trust.conf"

  static let kdfCostWords =
    "must be a whole number from 14 to 20 (from 10 only while every server URL leads to this machine)"

  static var settings: [Setting<StateSettings>] {
    [
      .text("directory", \.directory, allowed: AllowedText.absolutePathWords, AllowedText.absolutePath),
      Setting(name: "kdf_cost") { value, section throws(SettingRefusal) in
        guard case .integer(let number) = value, let cost = Int(exactly: number),
          demonstrationKDFCostRange.contains(cost)
        else { throw SettingRefusal(problem: kdfCostWords) }
        section.kdfCost = cost
      },
    ]
  }
}
