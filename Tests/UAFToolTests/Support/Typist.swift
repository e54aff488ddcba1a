import Glibc

/// A person who types at a terminal while uafctl runs: a thread of the test.
final class Typist {
  private var thread = pthread_t()

  /// Does `work` while the test continues.
  init(_ work: @escaping @Sendable () -> Void) {
    // SAFETY: released by the thread, exactly once.
    let box = unsafe Unmanaged.passRetained(Work(work))
    // SAFETY: the thread takes the box over.
    unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, unsafe box.toOpaque())
  }

  /// Waits until the work is done.
  func join() {
    _ = pthread_join(thread, nil)
  }

  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
