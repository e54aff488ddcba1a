import NIOCore

/// Runs tasks on an event loop's thread.
///
/// A connection's bytes come and go on its event loop. With its task there too, an answer changes threads only where the store
/// makes it.
final class EventLoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  /// Makes the executor of a loop.
  init(_ loop: any EventLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // SAFETY: the reference to this executor is used within the call, while the closure keeps the executor.
    loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
