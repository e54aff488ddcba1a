import ArgumentParser
import UAFService

extension VerificationMethodPolicy: ExpressibleByArgument {}
