import ArgumentParser
import Authenticator
import SecretMemory
import UAFWire

/// A command that can make a recovery key, because a chip may hold the device key after it.
protocol SealingCommand: CoreCommand {
  /// `--recovery-key`.
  var recovery: RecoveryKeyOption { get }
  /// The text for a success, which depends on what the core has done.
  func done(_ request: Request, _ finished: Finished) -> ToolText
}

extension SealingCommand {
  func done(_ request: Request, _ finished: Finished) -> ToolText { done(request) }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let path = try ConfigurationOption.path(recovery.file, in: context)
    let words = try makeWords(path != nil)
    if let path { try RecoveryKeyFile.write(words, to: path) }
    var person = RecoveryPerson(words, telling: context.output)
    let request = try request(in: context)
    let finished: Finished
    do throws(ToolError) { finished = try call(in: context).run(request, with: &person) } catch {
      if let path, !person.wasAsked { RecoveryKeyFile.remove(path) }
      throw error
    }
    let end = ConversationEnd(finished)
    guard finished.pamCode == 0 else {
      if let path { RecoveryKeyFile.remove(path) }
      return end.tellFailure(in: context)
    }
    let exit = end.tellSuccess(as: done(request, finished), in: context)
    guard let path else { return exit }
    if person.wasAsked {
      context.note(ToolText.recoveryKeyWritten(path))
    } else {
      RecoveryKeyFile.remove(path)
      context.note(ToolText.recoveryKeyUnused)
    }
    return exit
  }

  private func makeWords(_ areWanted: Bool) throws(ToolError) -> Secret {
    let words = areWanted ? try? RecoveryKey.make() : try? Secret(capacity: 1)
    guard let words else { throw .outOfMemory }
    return words
  }
}

/// `uafctl seal`.
struct SealCommand: SealingCommand {
  static var configuration: CommandConfiguration { CommandHelp.seal.configuration("seal") }
  static let done = ToolText.sealed

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var recovery: RecoveryKeyOption

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.seal) }
}

/// `uafctl unseal`.
struct UnsealCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.unseal.configuration("unseal") }
  static let done = ToolText.unsealed

  @OptionGroup var conf: ConfigurationOption

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.unseal) }
}

/// `uafctl recover`.
struct RecoverCommand: CoreCommand {
  static var configuration: CommandConfiguration { CommandHelp.recover.configuration("recover") }
  static let done = ToolText.recovered

  @OptionGroup var conf: ConfigurationOption

  @Option(name: .customLong("recovery-key"), help: .text(.recoveryKey, valueName: "file"), completion: .file())
  var file: String?

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.recover) }

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    guard let path = try ConfigurationOption.path(file, in: context) else { return try performInLines(in: context) }
    var person = RecoveryPerson(try RecoveryKeyFile.read(path), telling: context.output)
    let finished = try call(in: context).run(try request(in: context), with: &person)
    let end = ConversationEnd(finished)
    return finished.pamCode == 0 ? end.tellSuccess(as: Self.done, in: context) : end.tellFailure(in: context)
  }
}

/// `--recovery-key` of the commands that make a recovery key.
struct RecoveryKeyOption: ParsableArguments {
  @Option(name: .customLong("recovery-key"), help: .text(.newRecoveryKey, valueName: "file"), completion: .file())
  var file: String?
}

/// `uafctl init`.
struct InitCommand: SealingCommand {
  static var configuration: CommandConfiguration { CommandHelp.initialise.configuration("init") }
  static let done = ToolText.initialised

  @OptionGroup var conf: ConfigurationOption
  @OptionGroup var recovery: RecoveryKeyOption

  /// If the core has made no key, because there was one, it sends no text.
  func done(_ request: Request, _ finished: Finished) -> ToolText {
    finished.text == nil ? .initialisedBefore : Self.done
  }

  func request(in context: ToolContext) throws(ToolError) -> Request { Request(.initialise) }
}
