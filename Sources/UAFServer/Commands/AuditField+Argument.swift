import ArgumentParser
import UAFService

extension AuditField: ExpressibleByArgument {}
