/// The answer to a call.
struct BusReply: Equatable {
  /// What an answer is expected to hold.
  enum Form {
    case nothing, text, objectPath, texts, number
  }

  /// The unique name of the connection that answered.
  let sender: String
  /// The texts of the answer, in order; a number is written in decimal digits.
  let texts: [String]

  /// The only text; nil where there are several or none.
  var text: String? { texts.count == 1 ? texts.first : nil }
}
