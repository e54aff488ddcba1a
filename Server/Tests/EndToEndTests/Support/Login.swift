/// What a PAM host received from libpam in one call of pam_authenticate, or in several stages.
struct Login {
  /// PAM's code for the last stage.
  let code: PAMCode?
  /// PAM's code for each stage.
  let codes: [PAMCode?]
  let prompts: [String]
  let errors: [String]
  let output: Output

  init(_ output: Output) {
    self.output = output
    let lines = output.lines
    func texts(_ kind: String) -> [String] {
      lines.filter { $0.hasPrefix(kind + " ") }.map { String($0.dropFirst(kind.count + 1)) }
    }
    prompts = texts("prompt")
    errors = texts("error")
    // A host that did not run to its end has no code, whatever its status.
    codes = texts("result").map { Int32($0).flatMap { PAMCode(rawValue: $0) } }
    code = codes.last ?? nil
  }
}
