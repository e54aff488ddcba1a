import UAFService

/// The pages that wait for a signature: of a sign-in, and of a dangerous step.
enum ConfirmationPages {
  static func signIn(_ language: PageLanguage) -> PageContent {
    PageContent(
      title: language.text(.signIn),
      blocks: [
        .paragraph(language.text(.signInIntro)),
        .form(
          PageForm(
            title: language.text(.signIn), action: "/console/sign-in", button: language.text(.goOn),
            fields: [PageField(name: "name", label: language.text(.accountName), isRequired: true, maximum: 128)])),
      ])
  }

  /// What is to be confirmed, and how.
  ///
  /// - Parameter action: where the button leads that says it was confirmed.
  static func waiting(
    _ title: PageText, shown: String, number: String, line: String, action: String, _ language: PageLanguage
  ) -> PageContent {
    var blocks: [PageBlock] = [
      .paragraph(language.text(.confirmHow)),
      .facts([(language.text(.textToConfirm), shown), (language.text(.codeNumber), number)]),
      .code(line, label: language.text(.payloadLine)),
    ]
    if let picture = QRCode(line) { blocks.append(.picture(picture, label: language.text(.payloadPicture))) }
    blocks.append(
      .form(PageForm(title: language.text(title), action: action, button: language.text(.haveConfirmed))))
    return PageContent(title: language.text(title), blocks: blocks)
  }
}
