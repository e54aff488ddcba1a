import Authenticator
import FidoResults
import SecretMemory
import UAFClient
import UAFMessages
import UAFWire

/// What was chosen from a list.
enum Choice: Equatable {
  /// Authenticators to be used together.
  case way([AuthenticatorType])
  /// Registering anew.
  case registerAgain
}

extension Session {
  /// Entries that are no number of the list, before the list is given up.
  private static let choiceRounds = 5

  /// The ways an offer leaves, each a list of types: the server's favourite first.
  ///
  /// - Parameter types: the types that can take part.
  func ways(
    _ sets: [[AcceptableAuthenticator]], among types: [AuthenticatorType], named: AuthenticatorType?
  ) -> [[AuthenticatorType]] {
    var ways: [[AuthenticatorType]] = []
    for set in sets {
      let way = set.compactMap { member in types.first { $0.aaid == member.aaid.text } }
      guard way.count == set.count, named.map({ way.contains($0) }) ?? true, !ways.contains(way) else { continue }
      ways.append(way)
    }
    return ways
  }

  /// The way to go, with every authenticator of it open: asks for what is not open yet, and which where several fit.
  ///
  /// - Throws: ``Ending``: 2002 where none fits, or several do and there is only one prompt; cancelled; wrong; ...
  func open(_ offer: AuthenticationOffer, _ held: AccountAuthenticators) throws(Ending) -> [AuthenticatorType] {
    let ways = ways(offer.sets, among: held.types, named: held.named)
    if let way = ways.first(where: held.cover), !held.opened.isEmpty { return way }
    let further = ways.filter { way in held.opened.allSatisfy { way.contains($0.type) } }
    guard !further.isEmpty else {
      throw Ending(
        .noSuitableAuthenticator, because: held.named == nil ? .typesNotAccepted : namedNotAccepted,
        log: "the server asks for authenticators that are not here" + (held.named.map { ": not \($0.rawValue)" } ?? ""))
    }
    guard isInteractive else {
      throw Ending(
        .noSuitableAuthenticator, because: .severalTogether,
        log: "the server asks for more than one prompt can give")
    }
    return try open(oneOf: further, held)
  }

  /// Opens one authenticator of the person's choice, where the server's policy is not there to choose by.
  func openAny(of held: AccountAuthenticators) throws(Ending) { _ = try open(oneOf: held.types.map { [$0] }, held) }

  /// Opens what the person chooses, with a list where there is anything to choose.
  private func open(
    oneOf ways: [[AuthenticatorType]], _ held: AccountAuthenticators
  ) throws(Ending) -> [AuthenticatorType] {
    let offersMore = held.opened.isEmpty && offersNewRegistration
    let list = ways.count > 1 || offersMore
    while true {
      let choice = list ? try choose(among: ways, orRegisterAgain: offersMore) : ways.first.map(Choice.way)
      guard case .way(let way) = choice else { throw try registerAgain(held) }
      if try open(way, held, canGoBack: list) { return way }
    }
  }

  /// Opens what is not open yet of one way.
  ///
  /// - Returns: false if the person went back to the list.
  func open(
    _ way: [AuthenticatorType], _ held: AccountAuthenticators, canGoBack: Bool = false
  ) throws(Ending) -> Bool {
    for type in way where held[type] == nil {
      let unlocked = try verify(
        held.account, type, in: held.directory, attempts: held.attempts(type, tries: tries), canGoBack: canGoBack)
      guard let unlocked else { return false }
      held.add(unlocked)
    }
    return true
  }

  /// Shows the list and takes a number of it.
  ///
  /// - Throws: ``Ending``: cancelled, the other way in (7009), or (2002) nothing of the list was chosen.
  func choose(
    among ways: [[AuthenticatorType]], orRegisterAgain offersMore: Bool = false
  ) throws(Ending) -> Choice {
    var options = ways.map { PromptText.choiceOption($0.map(\.kind)).text(in: language) }
    if offersMore { options.append(PromptText.registerAgain.text(in: language)) }
    var error: String?
    for _ in 0..<Self.choiceRounds {
      let entry = try ask(choicePrompt(options, error: error))
      if entry.count == 0 { try leaveByEmptyLine() }
      if let number = entry.withBytes({ Self.number($0) }), options.indices.contains(number - 1) {
        return number <= ways.count ? .way(ways[number - 1]) : .registerAgain
      }
      error = PromptText.noSuchChoice(options.count).text(in: language)
    }
    throw Ending(.noSuitableAuthenticator, because: .nothingChosen, log: "nothing of the list was chosen")
  }

  /// One type of a list.
  func chooseType(among types: [AuthenticatorType]) throws(Ending) -> AuthenticatorType? {
    guard case .way(let way) = try choose(among: types.map { [$0] }) else { return nil }
    return way.first
  }

  private func choicePrompt(_ options: [String], error: String?) -> Prompt {
    var lines = [PromptText.choice(user: shownName).text(in: language)]
    lines += options.enumerated().map { "  \($0.offset + 1). \($0.element)" }
    if let way = cancelText { lines.append("  (\(way))") }
    lines.append(PromptText.choiceNumber(options.count).text(in: language))
    // Not shown: whoever overlooks the list enters the value there.
    var prompt = Prompt(echo: false, check: .choice, step: .current, text: lines.joined(separator: "\n"))
    prompt.options = options
    show(error, in: &prompt)
    prompt.reason = reason
    return prompt
  }

  /// A number of one or two digits; a choice is no secret.
  private static func number(_ entry: Span<UInt8>) -> Int? {
    guard (1...2).contains(entry.count) else { return nil }
    var number = 0
    for index in entry.indices {
      guard (0x30...0x39).contains(entry[index]) else { return nil }
      number = number * 10 + Int(entry[index] - 0x30)
    }
    return number
  }
}
