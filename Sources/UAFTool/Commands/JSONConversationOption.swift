import ArgumentParser

/// `--json-conversation`, `--together` and `--json`, for the subcommands whose questions a graphical front end may ask, or
/// whose end a script may read.
struct JSONConversationOption: ParsableArguments {
  @Flag(name: .customLong("json-conversation"), help: "Ask in lines of JSON.")
  var isOn = false

  @Flag(name: .customLong("together"), help: "Ask in JSON for a new value and its repetition at once.")
  var isTogether = false

  @Flag(name: .customLong("json"), help: "Print the end as one JSON object, for scripts.")
  var isForTheEnd = false

  /// Whether anything is printed as JSON.
  var isAny: Bool { isOn || isForTheEnd }

  func validate() throws {
    if isTogether, !isOn { throw ValidationError(UsageMistake.togetherAlone.english) }
    if isOn, isForTheEnd { throw ValidationError(UsageMistake.twoKindsOfJSON.english) }
  }
}
