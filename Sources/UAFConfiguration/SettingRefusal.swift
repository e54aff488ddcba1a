/// Why a value is refused: what is wrong and what is allowed.
struct SettingRefusal: Error, Equatable {
  let problem: String
}
