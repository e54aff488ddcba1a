import FidoResults
import UAFCrypto
import UAFMessages

/// Recognises the challenge of what was asked for (PROTOCOL.md, "What a challenge is for").
///
/// The program that speaks to the network could ask our server for anything else, and pass its challenge on: a signature
/// over that would be spent on it. So nothing is signed before the challenge was compared with the question that left the core.
struct PurposeCheck {
  /// What was asked for.
  let purposes: [ChallengePurpose]
  /// The context of the question, as it was sent.
  let context: String
  /// A text that the request brought; its challenge names it.
  var text: String?
  /// Whether root's server is one that marks its challenges.
  let demandsMark: Bool

  /// Why nothing may be signed.
  enum Fault: Error, Equatable, CustomStringConvertible {
    case unmarked
    case unreadable
    case otherPurpose(ChallengePurpose)
    case otherQuestion(ChallengePurpose)
    case crypto(CryptoError)

    var description: String {
      switch self {
      case .unmarked:
        "the challenge does not name its purpose, as uaf-server's do; the server may be an older version"
      case .unreadable: "the challenge names its purpose in an unknown form; uaf-server may be a newer version"
      case .otherPurpose(let found): "attack: the challenge is for another purpose than asked for: \(found.word)"
      case .otherQuestion(let found):
        "attack: the challenge (\(found.word)) is for another account, machine, code, key or text than asked for"
      case .crypto(let error): error.description
      }
    }
  }

  /// Checks a challenge.
  ///
  /// - Returns: what it is for; nil for the challenge of a server of another make.
  /// - Throws: ``Fault``.
  func check(_ challenge: ServerChallenge) throws(Fault) -> ChallengePurpose? {
    switch PurposedChallenge.read(challenge) {
    case .unmarked:
      if demandsMark { throw .unmarked }
      return nil
    case .unreadable: throw .unreadable
    case .marked(let marked):
      guard purposes.contains(marked.purpose) else { throw .otherPurpose(marked.purpose) }
      let statement = PurposedChallenge.statement(marked.purpose, context: context, text: text)
      let hash: [UInt8]
      do throws(CryptoError) { hash = try SHA256.hash(statement) } catch { throw .crypto(error) }
      guard hash.starts(with: marked.binding) else { throw .otherQuestion(marked.purpose) }
      return marked.purpose
    }
  }
}

extension RequestOpening {
  /// Checks that the challenge of a request is for what was asked.
  ///
  /// - Parameters:
  ///   - text: a text that the request brought, and that is to be confirmed.
  ///   - isOurs: whether the server has to be ours, by what allows the operation.
  /// - Returns: what it is for; nil for the challenge of a server of another make.
  func purpose(
    of challenge: ServerChallenge, among purposes: [ChallengePurpose], text: String? = nil, isOurs: Bool = false
  ) throws(Refusal) -> ChallengePurpose? {
    // Our server demands no further authentication, so a challenge of it that comes as one was asked for by somebody else.
    let check = PurposeCheck(
      purposes: isFurther ? [] : purposes, context: askedContext, text: text,
      demandsMark: settings.demandsPurpose || isOurs)
    do throws(PurposeCheck.Fault) { return try check.check(challenge) } catch {
      throw link.refusal(ofServer: .invalidParameter, error.description)
    }
  }
}
