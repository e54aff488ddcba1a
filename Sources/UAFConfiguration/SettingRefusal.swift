/// Why a value is refused: what is wrong and what is allowed.
struct SettingRefusal: Error, Equatable {
  let problem: String
  /// Whether the machine had no memory to look at the value: nothing is wrong with what root wrote.
  var isOutOfMemory = false
}
