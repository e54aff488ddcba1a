import ArgumentParser

/// The options of `uafctl status` that ask one question about one authenticator type.
struct StatusQuestionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Ask whether this machine has the authenticator type.", valueName: "type"),
    completion: MachineCompletion.types)
  var supported: String?

  @Option(
    help: ArgumentHelp("Ask whether the account has it.", valueName: "type"),
    completion: MachineCompletion.types)
  var registered: String?

  @Option(
    help: ArgumentHelp("Ask whether it is locked.", valueName: "type"),
    completion: MachineCompletion.types)
  var locked: String?

  @Option(
    help: ArgumentHelp("Ask whether a login can use it now.", valueName: "type"),
    completion: MachineCompletion.types)
  var available: String?

  /// What is asked, and about which type.
  var all: [(question: StatusQuestion, type: String)] {
    StatusQuestion.allCases.compactMap { question in
      let type =
        switch question {
        case .supported: supported
        case .registered: registered
        case .locked: locked
        case .available: available
        }
      return type.map { (question, $0) }
    }
  }
}
