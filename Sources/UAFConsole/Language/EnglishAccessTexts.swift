/// The English texts of roles and of the keys that count for them.
enum EnglishAccessTexts {
  static let all: [PageText: String] = [
    .earlierKeys: "Keys that do not count",
    .earlierKeysHow:
      "This person has keys whose codes no administrator has signed for. Whoever issued such a code "
      + "may have used it for a key of their own. Only a key that counts can sign in to the console and confirm steps.",
    .earlierKeysAsk: "Keys that count from now on",
    .earlierKeysNone: "None: the person registers a new key with a code from an administrator",
    .earlierKeysAll: "All keys shown: I have verified that they belong to this person",
    .countsForSteps: "Counts in the console",
    .signatureNeeded: "This needs an administrator's signature.",
    .lastAdministrator:
      "No administrator could sign in after this. Give another person the role first, or do this on the server itself.",
  ]
}
