import Glibc

/// The terminal's second screen, with the mouse.
///
/// It is emptied before it is left, and no terminal keeps its lines for scrolling back: a stroke that was drawn there is
/// nowhere to be seen afterwards.
package enum AlternateScreen {
  /// The second screen (1049) without a cursor; movements while a button is held (1002), in the form without limits (1006).
  package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?1002h\u{1B}[?1006h"
  /// Everything as it was.
  static let leave = "\u{1B}[2J\u{1B}[H\u{1B}[?1006l\u{1B}[?1002l\u{1B}[?25h\u{1B}[?1049l"

  /// The terminal's size; 80 by 24 where it is not known.
  package static func size(of terminal: CInt) -> (columns: Int, rows: Int) {
    var size = winsize()
    // SAFETY: TIOCGWINSZ fills exactly one winsize.
    let isKnown = unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
  }
}
