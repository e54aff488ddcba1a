import ArgumentParser

/// `--json-conversation`, which the subcommands have whose questions a graphical front end may ask.
struct JSONConversationOption: ParsableArguments {
  @Flag(name: .customLong("json-conversation"), help: "Ask in lines of JSON.")
  var isOn = false
}
