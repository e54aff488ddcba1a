import Glibc
import Invocation

@testable import HostSystem
@testable import UAFTool

/// A pseudo-terminal, with one end for the program and one for the person.
final class Terminal: Sendable {
  let program: CInt
  let person: CInt

  init() {
    var (person, program): (CInt, CInt) = (-1, -1)
    // SAFETY: both places live for the call; name, settings and size are not wanted.
    _ = unsafe openpty(&person, &program, nil, nil, nil)
    // A program that another test starts must not keep either end open.
    for end in [person, program] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    self.program = program
    self.person = person
  }

  deinit {
    close(program)
    close(person)
  }

  /// The terminal's local flags, such as ECHO.
  var flags: tcflag_t {
    var settings = termios()
    // SAFETY: `settings` is a termios.
    _ = unsafe tcgetattr(person, &settings)
    return settings.c_lflag
  }

  var echoes: Bool { flags & tcflag_t(ECHO) != 0 }

  /// How many bytes wait for the next program that reads from the terminal.
  var waiting: CInt {
    var count: CInt = 0
    // SAFETY: FIONREAD writes exactly one int.
    _ = unsafe ioctl(program, UInt(FIONREAD), &count)
    return count
  }

  /// Resizes the window, without notifying the program.
  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    // SAFETY: TIOCSWINSZ reads exactly one winsize.
    _ = unsafe ioctl(person, UInt(TIOCSWINSZ), &size)
  }

  /// Reads the program's output until `text` appears; returns all that was read.
  func expect(_ text: String) -> String {
    var all: [UInt8] = []
    var byte: UInt8 = 0
    while !all.suffix(text.utf8.count).elementsEqual(text.utf8) {
      // SAFETY: room for one byte.
      guard unsafe read(person, &byte, 1) == 1 else { break }
      all.append(byte)
    }
    return String(decoding: all, as: UTF8.self)
  }

  func type(_ bytes: [UInt8]) { _ = DescriptorWriter.write(bytes, to: person) }

  /// The output of the program that was not read yet.
  func rest() -> String {
    type([])
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var entry = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
      // SAFETY: one entry; the buffer is as long as announced.
      guard unsafe poll(&entry, 1, 0) > 0 else { break }
      let count = unsafe read(person, &buffer, buffer.count)
      guard count > 0 else { break }
      all += buffer[..<count]
    }
    return String(decoding: all, as: UTF8.self)
  }
}
