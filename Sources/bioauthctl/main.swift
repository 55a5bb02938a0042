import BioauthSystem
import Glibc

Words.begin(directory: Environment.localeDirectory)
exit(CommandLineProgram.run(Array(CommandLine.arguments.dropFirst())).rawValue)
