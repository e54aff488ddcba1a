/// The English texts of roles and of the keys that count for them.
enum EnglishAccessTexts {
  static let all: [PageText: String] = [
    .earlierKeys: "Keys that do not count",
    .earlierKeysHow:
      "This person has keys whose codes no administrator has issued. Whoever has issued a code may have registered a key "
      + "with it. A key signs in to the console, and confirms there, only if it counts.",
    .earlierKeysAsk: "Which of them count from now on",
    .earlierKeysNone: "None: the person registers a new key, with a code that an administrator issues",
    .earlierKeysAll: "All that are shown: I know that they are this person's",
    .countsForSteps: "Counts in the console",
    .signatureNeeded: "This needs an administrator's signature.",
    .lastAdministrator:
      "No administrator could sign in any more. Give another person the role first, or do it at the server itself.",
  ]
}
