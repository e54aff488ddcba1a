/// Single values that `serve` leaves for the other commands.
package protocol Settings {
  func value(of name: SettingName) throws -> String?
  func set(_ name: SettingName, to value: String) throws
  func remove(_ name: SettingName) throws
}
