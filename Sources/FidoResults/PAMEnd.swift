/// One way in which a login by the module fails: the code that PAM gets, and who can cause it.
///
/// Stacks decide by the code alone. So a code that anybody but root can cause has to refuse in every stack that is shipped.
/// `scripts/stacks.py` reads the table from its source and computes that from the stacks.
public struct PAMEnd: Sendable {
  /// Who returns the code.
  public enum Speaker: Sendable {
    /// The core, in *finished*.
    case core
    /// The module, for itself.
    case module
    /// libpam, which could not call the module.
    case libpam
  }

  /// Who can cause it.
  public enum Cause: Sendable {
    /// The person who logs in, by an entry, by cancelling, or by cutting the network.
    case person
    /// Another account of the machine: by limits of a process it starts, by names, or by using up resources.
    case localUser
    /// Somebody who reaches the machine over the network.
    case afar
    /// An attacker on the network between machine and server.
    case network
    /// The server, or what answers in its place.
    case server
    /// Root: stack, configuration, installation.
    case root
    /// Memory, disk, kernel, power.
    case machine
  }

  /// The stacks in which root lets a code that others can cause go on to the password.
  public enum Choice: Sendable {
    /// The shape `fallback` of `pam.d/`, and the profile of pam-auth-update.
    case fallback, profile
  }

  /// PAM's name of the code.
  public let code: String
  /// Who returns the code.
  public let speaker: Speaker
  /// The results that the core sends with it; empty for any.
  public let results: [UInt32]
  /// Who can cause it.
  public let causes: [Cause]
  /// The stacks that still go on to the password, because root chose so.
  public let choices: [Choice]
  /// What has happened.
  public let meaning: String

  init(
    _ code: String, _ speaker: Speaker, _ results: [UInt32] = [], by causes: [Cause], choices: [Choice] = [],
    _ meaning: String
  ) {
    self.code = code
    self.speaker = speaker
    self.results = results
    self.causes = causes
    self.choices = choices
    self.meaning = meaning
  }
}
