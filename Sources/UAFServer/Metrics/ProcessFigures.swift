import Glibc
import HostSystem

/// What the system knows of this process, under the names that Prometheus' own clients use.
enum ProcessFigures {
  static func write(to page: inout MetricsPage) {
    var usage = rusage()
    // SAFETY: `usage` is an rusage.
    if unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      page.single(
        "process_cpu_seconds_total", .counter, "Time of the processor, the system's part included.",
        seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
    if let pages = statm().flatMap(residentPages) {
      page.single(
        "process_resident_memory_bytes", .gauge, "Memory in use.", pages * sysconf(CInt(_SC_PAGESIZE)))
    }
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  /// The second number of a `statm` (proc(5)).
  static func residentPages(_ statm: [UInt8]) -> Int? {
    let numbers = statm.split(separator: UInt8(ascii: " "))
    return numbers.count > 1 ? Int(String(decoding: numbers[1], as: UTF8.self)) : nil
  }

  private static func statm() -> [UInt8]? {
    // SAFETY: the path lives for the call.
    let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return DescriptorReader.read(descriptor, atMost: 256)
  }
}
