import Wording

/// Why a shell that was started for a person gives that person no session to work in.
package enum SessionFlaw: Equatable {
  /// It ended by itself, before or after it ran a command that was typed; the last line that it wrote.
  case ended(last: String)
  /// It ran no command that was typed within this number of seconds; the last line that it wrote.
  case silent(seconds: Int, last: String)
  /// It ends after this number of seconds without an entry (`TMOUT`).
  case impatient(seconds: Int)
  /// It runs commands, but not sudo; the last line that it wrote.
  case noSudo(last: String)
  /// It was not started: the shells of others had taken too long.
  case late
  /// It was not started; the system's error number.
  case notTried(CInt)
}

/// What is typed at a shell that was started for a person, and what its output means.
///
/// First an empty line is typed: whatever a profile asks gets its default answer. Then a command fails, as a wrong password
/// does, and another one prints a word and the variable HOME. Neither the echo of the terminal nor a program that repeats its
/// input looks like that. The shell must still be there some time later, because a profile may end it in the background, at the
/// second prompt, or after `TMOUT`. Then it must run sudo, which a restricted shell or an alias may hide.
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
    /// How long a profile may take until the shell runs a command, and sudo until it has printed its version.
    ///
    /// The profiles of some developers take seconds.
    var limit = 20_000
    /// How long a shell writes nothing when it waits for an entry.
    var quiet = 200
    /// After this time something is typed although the shell still writes.
    var noisy = 1_500
    /// How long until the command is typed again: the profile may have read the first one.
    var patience = 2_000
    /// How long the shell must stay after it ran a command.
    var settling = 2_000
  }

  private enum Phase: Equatable {
    case start
    case prompt
    case settling(until: Int)
    case sudo(since: Int)
  }

  private let mark: String
  private let home: String
  private let needsSudo: Bool
  private let times: Times
  private var phase = Phase.start
  private var output: [UInt8] = []
  private var heard = 0
  private var typed: Int?
  /// The seconds of `TMOUT`; nil if they are not known, or there is no such limit.
  private var idleSeconds: Int?

  /// - Parameters:
  ///   - mark: a word of letters and digits that the shell's own files do not have.
  ///   - home: the value of the variable HOME.
  ///   - needsSudo: whether the person needs sudo.
  init(mark: String, home: String, needsSudo: Bool, times: Times = Times()) {
    self.mark = mark
    self.home = home
    self.needsSudo = needsSudo
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
    switch phase {
    case .start, .prompt:
      if isEnded { return .end(.ended(last: last)) }
      if phase == .prompt, has("here" + home) {
        (phase, typed) = (.settling(until: now + times.settling), nil)
        return .type(" echo \(mark)\"\"idle:${TMOUT-}:\r")
      }
      guard now < times.limit else { return .end(.silent(seconds: times.limit / 1000, last: last)) }
      return entry(at: now)
    case .settling(let end): return settled(at: now, by: end, isEnded)
    case .sudo(let start):
      if has("done") { return .end(has("root") && isSudo ? nil : .noSudo(last: last)) }
      if isEnded { return .end(.ended(last: last)) }
      let rest = start + times.limit - now
      return rest > 0 ? .wait(milliseconds: rest) : .end(.noSudo(last: last))
    }
  }

  /// The shortest time in seconds in which a person can be expected to type the next command.
  private static let leastIdle = 60

  private mutating func settled(at now: Int, by planned: Int, _ isEnded: Bool) -> Step {
    var end = planned
    // A shell without the syntax of POSIX, such as fish, complains instead. It has no such variable.
    if idleSeconds == nil, let seconds = idle() {
      idleSeconds = seconds
      // Nobody types a command in less time; hardened machines end idle shells after some minutes. Some shells use the variable
      // only as a clock, so it is tried.
      if isShort { end = now + seconds * 1000 + times.settling }
      phase = .settling(until: end)
    }
    if isEnded { return .end(isShort ? .impatient(seconds: idleSeconds ?? 0) : .ended(last: last)) }
    guard now >= end else { return .wait(milliseconds: end - now) }
    guard needsSudo else { return .end(nil) }
    (phase, output) = (.sudo(since: now), [])
    // fish keeps a line that it does not understand: Ctrl-U takes it away.
    return .type("\u{15} sudo -V && echo \(mark)\"\"root; echo \(mark)\"\"done\r")
  }

  private var isShort: Bool { (1..<Self.leastIdle).contains(idleSeconds ?? 0) }

  private mutating func entry(at now: Int) -> Step {
    let quiet = heard + times.quiet - now
    let due = typed.map { $0 + (phase == .start ? times.quiet : times.patience) - now } ?? 0
    let isDue = due <= 0 && (quiet <= 0 || now - (typed ?? 0) >= times.noisy)
    guard isDue else { return .wait(milliseconds: max(1, min(max(due, quiet), times.limit - now))) }
    defer { typed = now }
    if phase == .start, typed == nil { return .type("\r") }
    phase = .prompt
    return .type(command)
  }

  /// The command that fails, and the one whose output shows a shell.
  ///
  /// Each line begins with a space, which keeps it out of the history of most shells.
  private var command: String { " false\r echo \(mark)\"\"here$HOME\r" }

  private func has(_ word: String) -> Bool { output.firstRange(of: Array((mark + word).utf8)) != nil }

  /// Whether sudo itself has printed its version, and not an alias or a function of its name.
  private var isSudo: Bool {
    ["Sudo version ", "sudo-rs "].contains { output.firstRange(of: Array($0.utf8)) != nil }
  }

  /// The seconds of `TMOUT`, 0 if there is none, as bash reads them; nil if the shell has not said it.
  private func idle() -> Int? {
    guard let range = output.firstRange(of: Array("\(mark)idle:".utf8)) else { return nil }
    let value = output[range.upperBound...].prefix { $0 != UInt8(ascii: ":") }
    guard value.endIndex < output.endIndex else { return nil }
    let digits = value.drop { $0 == UInt8(ascii: " ") }.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
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
    let own = ["false", "sudo -V"]
    let said = texts.last { text in
      !text.isEmpty && !text.contains(mark) && !own.contains { text == $0 || text.hasSuffix(" " + $0) }
    }
    return String((said ?? "").prefix(Self.longestLine))
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
      case .impatient, .late, .notTried: ""
      }
    return last.isEmpty ? ("", "") : ("; the last line there: '\(last)'", ". 마지막에 나온 줄: '\(last)'")
  }

  /// The text in English, without the name.
  package var english: String {
    switch self {
    case .ended: "gets no session: their shell was started, and ended by itself within seconds" + said.english
    case .silent(let seconds, _):
      "gets no session: their shell was started, and ran no command within \(seconds) s" + said.english
    case .impatient(let seconds):
      "gets no session: their shell was started, and ends after \(seconds) s without an entry (TMOUT)"
    case .noSudo: "cannot become root: their shell was started, and does not run sudo" + said.english
    case .late: "may get no session: their shell was not started, because the shells of others took more than a minute"
    case .notTried(let number):
      "may get no session: their shell could not be started here (\(SystemReason(number).english))"
    }
  }

  /// The text in Korean, without the name.
  package var korean: String {
    switch self {
    case .ended: "세션이 열리지 않습니다. 셸을 시작해 보니 몇 초 안에 저절로 끝났습니다" + said.korean
    case .silent(let seconds, _): "세션이 열리지 않습니다. 셸을 시작해 보니 \(seconds)초 안에 명령이 실행되지 않았습니다" + said.korean
    case .impatient(let seconds): "세션이 유지되지 않습니다. 셸을 시작해 보니 입력이 없으면 \(seconds)초 뒤에 끝납니다(TMOUT)"
    case .noSudo: "root가 될 수 없습니다. 셸을 시작해 보니 sudo가 실행되지 않습니다" + said.korean
    case .late: "세션이 열리는지 알 수 없습니다. 다른 사람들의 셸에 1분이 넘게 걸려 이 셸은 시작하지 않았습니다"
    case .notTried(let number): "세션이 열리는지 알 수 없습니다. 여기서 셸을 시작할 수 없었습니다(\(SystemReason(number).korean))"
    }
  }
}
