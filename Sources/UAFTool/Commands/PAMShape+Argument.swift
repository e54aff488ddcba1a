import ArgumentParser
import PAMStacks

extension PAMShape: ExpressibleByArgument {}
