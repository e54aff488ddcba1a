import ArgumentParser
import UAFAdministration

extension Role: ExpressibleByArgument {}
