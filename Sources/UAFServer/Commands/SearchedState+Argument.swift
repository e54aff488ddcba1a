import ArgumentParser
import UAFService

extension SearchedState: ExpressibleByArgument {}
