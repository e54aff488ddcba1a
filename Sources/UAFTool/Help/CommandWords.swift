/// What help says of one command, in Korean.
struct CommandWords {
  /// What it does, in one sentence.
  let abstract: String
  /// What else there is to know.
  let discussion: String
  /// What its own arguments and options are, by the names that help shows of them.
  let arguments: [String: String]

  init(_ abstract: String, _ discussion: String = "", _ arguments: [String: String] = [:]) {
    self.abstract = abstract
    self.discussion = discussion
    self.arguments = arguments
  }
}
