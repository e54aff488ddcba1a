import ArgumentParser

/// `--json-conversation`, for the subcommands whose questions a graphical front end may ask.
struct JSONConversationOption: ParsableArguments {
  @Flag(name: .customLong("json-conversation"), help: "Ask in lines of JSON.")
  var isOn = false
}
