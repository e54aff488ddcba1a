import Wording

/// Why a shell that was started for a person gives that person no session to work in.
package enum SessionFlaw: Equatable {
  /// It ended before it ran a command that was typed; the last line that it wrote.
  case ended(last: String)
  /// It ran no command that was typed within this number of seconds; the last line that it wrote.
  case silent(seconds: Int, last: String)
  /// It ends after this number of seconds without an entry (`TMOUT`).
  case impatient(seconds: Int)
  /// It runs commands, but not sudo; the last line that it wrote.
  case noSudo(last: String)
  /// It was not started; the system's error number.
  case notTried(CInt)
}

/// What is typed at a shell that was started for a person, and what its output means.
///
/// A shell works if it runs a command that was typed. The command's output differs from its own text, so that neither the echo of
/// the terminal nor a program that repeats its input looks like a shell. The shell must still be there a moment later: a profile
/// may end it in the background, or at the second prompt. Then it must find sudo, which a restricted shell or an alias may hide.
struct SessionDialogue {
  /// What to do next.
  enum Step: Equatable {
    /// Types a line.
    case type(String)
    /// Waits for output, at most that long.
    case wait(milliseconds: Int)
    /// Nothing more is to be done: what is wrong, or nil if nothing is.
    case end(SessionFlaw?)
  }

  /// The lengths of time, in milliseconds.
  struct Times {
    /// How long a profile may take until the shell runs a command; those of some developers take seconds.
    var limit = 20_000
    /// How long a shell writes nothing when it waits for an entry.
    var quiet = 200
    /// After this time something is typed although the shell still writes.
    var noisy = 1_500
    /// How long until the command is typed again: the profile may have read the first one.
    var patience = 2_000
    /// How long the shell must stay after it ran a command.
    var settling = 1_000
  }

  private enum Phase: Equatable {
    case prompt
    case settling(since: Int)
    case sudo
  }

  private let mark: String
  private let needsSudo: Bool
  private let knowsTimeout: Bool
  private let times: Times
  private var phase = Phase.prompt
  private var output: [UInt8] = []
  private var heard = 0
  private var typed: Int?

  /// - Parameters:
  ///   - mark: a word of letters and digits that the shell's own files do not have.
  ///   - needsSudo: whether the person needs sudo.
  ///   - knowsTimeout: whether the shell has the variable `TMOUT`, in the syntax of POSIX.
  init(mark: String, needsSudo: Bool, knowsTimeout: Bool, times: Times = Times()) {
    self.mark = mark
    self.needsSudo = needsSudo
    self.knowsTimeout = knowsTimeout
    self.times = times
  }

  // More than a screen; only the end is needed.
  private static let mostOutput = 65_536

  /// - Parameters:
  ///   - now: milliseconds since the shell was started.
  ///   - received: what the shell has written since the last call.
  ///   - isEnded: whether nobody has the terminal open any more.
  mutating func next(at now: Int, received: [UInt8], isEnded: Bool) -> Step {
    if !received.isEmpty { heard = now }
    output = (output + received).suffix(Self.mostOutput)
    if phase == .prompt, let seconds = answer() {
      // Nobody types a command in less time; hardened machines end idle shells after some minutes.
      if let seconds, seconds > 0, seconds < Self.leastIdle { return .end(.impatient(seconds: seconds)) }
      (phase, typed) = (.settling(since: now), nil)
    }
    if phase == .sudo, has("done") { return .end(has("root") ? nil : .noSudo(last: last)) }
    if isEnded { return .end(.ended(last: last)) }
    if case .settling(let since) = phase {
      let rest = since + times.settling - now
      guard rest <= 0 else { return .wait(milliseconds: rest) }
      guard needsSudo else { return .end(nil) }
      (phase, output) = (.sudo, [])
    }
    guard now < times.limit else {
      return .end(phase == .sudo ? .noSudo(last: last) : .silent(seconds: times.limit / 1000, last: last))
    }
    return entry(at: now)
  }

  /// The shortest time in seconds in which a person can be expected to type the next command.
  private static let leastIdle = 60

  private mutating func entry(at now: Int) -> Step {
    let quiet = heard + times.quiet - now
    let due = typed.map { $0 + times.patience - now } ?? min(0, quiet)
    let isDue = due <= 0 && (quiet <= 0 || now - (typed ?? 0) >= times.noisy)
    guard isDue else { return .wait(milliseconds: max(1, min(max(due, quiet), times.limit - now))) }
    typed = now
    return .type(command)
  }

  /// What to type.
  ///
  /// Each line begins with a space, which keeps it out of the history of most shells. The first command fails, as a wrong password does: a shell with `set -e` ends there.
  private var command: String {
    phase == .sudo
      ? " sudo -V && echo \(mark)\"\"root; echo \(mark)\"\"done\r"
      : " false\r echo \(mark)\"\"here:\(knowsTimeout ? "${TMOUT-}" : ""):\r"
  }

  private func has(_ word: String) -> Bool { output.firstRange(of: Array((mark + word).utf8)) != nil }

  /// The value of `TMOUT`, nil inside if there is none; nil if the shell has not run the command.
  private func answer() -> Int?? {
    guard let range = output.firstRange(of: Array("\(mark)here:".utf8)) else { return nil }
    let digits = output[range.upperBound...].prefix { $0 != UInt8(ascii: ":") }
    guard digits.endIndex < output.endIndex else { return nil }
    return .some(Int(String(decoding: digits, as: UTF8.self)))
  }

  // Enough to recognise a message.
  private static let longestLine = 200

  /// The last line of the output that is not empty and is not what was typed, without what controls a terminal.
  ///
  /// What follows the answer, such as the next prompt, says nothing about it.
  private var last: String {
    let end = output.firstRange(of: Array((mark + "done").utf8))?.lowerBound ?? output.endIndex
    let rows = output[..<end].split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let texts = rows.map { ShownText.line(Self.plain($0)) }
    return String((texts.last { !$0.isEmpty && !$0.contains(mark) } ?? "").prefix(Self.longestLine))
  }

  /// A line without the control sequences of ECMA-48, which move the cursor or set colours.
  private static func plain(_ row: ArraySlice<UInt8>) -> String {
    var kept: [UInt8] = []
    var rest = row
    while let byte = rest.popFirst() {
      guard byte == 0x1B else {
        kept.append(byte)
        continue
      }
      guard rest.first == UInt8(ascii: "[") else {
        rest = rest.dropFirst()
        continue
      }
      // Parameters and intermediate bytes come before the final byte.
      rest = rest.dropFirst().drop { (0x20..<0x40).contains($0) }.dropFirst()
    }
    return String(decoding: kept, as: UTF8.self)
  }
}

extension SessionFlaw: Catalogued {
  private var said: (english: String, korean: String) {
    let last =
      switch self {
      case .ended(let last), .silent(_, let last), .noSudo(let last): last
      case .impatient, .notTried: ""
      }
    return last.isEmpty ? ("", "") : ("; the last line there was: \(last)", ". 마지막에 나온 줄: \(last)")
  }

  /// The text in English, without the name.
  package var english: String {
    switch self {
    case .ended: "gets no session: their shell was started, and ended before it ran a command" + said.english
    case .silent(let seconds, _):
      "gets no session: their shell was started, and ran no command within \(seconds) s" + said.english
    case .impatient(let seconds):
      "gets no session: their shell was started, and ends after \(seconds) s without an entry (TMOUT)"
    case .noSudo: "cannot become root: their shell was started, and does not run sudo" + said.english
    case .notTried(let number):
      "may get no session: their shell could not be started here (\(SystemReason(number).english))"
    }
  }

  /// The text in Korean, without the name.
  package var korean: String {
    switch self {
    case .ended: "세션이 열리지 않습니다. 셸을 시작해 보니 명령을 실행하기 전에 끝났습니다" + said.korean
    case .silent(let seconds, _): "세션이 열리지 않습니다. 셸을 시작해 보니 \(seconds)초 안에 명령이 실행되지 않았습니다" + said.korean
    case .impatient(let seconds): "세션이 유지되지 않습니다. 셸을 시작해 보니 입력이 없으면 \(seconds)초 뒤에 끝납니다(TMOUT)"
    case .noSudo: "root가 될 수 없습니다. 셸을 시작해 보니 sudo가 실행되지 않습니다" + said.korean
    case .notTried(let number): "세션이 열리는지 알 수 없습니다. 여기서 셸을 시작할 수 없었습니다(\(SystemReason(number).korean))"
    }
  }
}
