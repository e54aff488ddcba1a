import Foundation

/// The destination of one of a program's three streams.
public enum ProgramStream {
  /// The same destination as the tests' own stream.
  case shared
  /// To a file.
  case file(FileHandle)
  /// To the test, which has the pipe's other end.
  case pipe(Pipe)

  /// The descriptor that the program gets; nil for the tests' own.
  func descriptor(reads: Bool) -> CInt? {
    switch self {
    case .shared: nil
    case .file(let file): file.fileDescriptor
    case .pipe(let pipe): (reads ? pipe.fileHandleForReading : pipe.fileHandleForWriting).fileDescriptor
    }
  }

  /// Closes the program's end of a pipe in the tests.
  func closeFarEnd(reads: Bool) {
    guard case .pipe(let pipe) = self else { return }
    try? (reads ? pipe.fileHandleForReading : pipe.fileHandleForWriting).close()
  }
}
