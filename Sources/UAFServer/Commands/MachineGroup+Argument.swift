import ArgumentParser
import UAFMessages

extension MachineGroup: ExpressibleByArgument {
  /// Reads a name.
  public init?(argument: String) { self.init(argument) }
}
