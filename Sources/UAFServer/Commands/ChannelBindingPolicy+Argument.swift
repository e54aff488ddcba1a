import ArgumentParser
import UAFService

extension ChannelBindingPolicy: ExpressibleByArgument {}
