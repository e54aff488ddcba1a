import ArgumentParser

/// `--recovery-key` of commands that make one.
struct RecoveryKeyOption: ParsableArguments {
  @Option(
    name: .customLong("recovery-key"),
    help: ArgumentHelp("New file for words that open the key without the chip.", valueName: "file"),
    completion: .file())
  var file: String?
}
