import ArgumentParser
import UAFConsole

extension PageLanguage: ExpressibleByArgument {}
