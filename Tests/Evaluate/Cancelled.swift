import LocalAuthentication

/// Asks, and once more from a task that was cancelled before; then the person cancels the first.
func askCancelled(_ socketPath: String) async {
    let context = LAContext(socketPath: socketPath)
    let (prompts, prompted) = AsyncStream<LAPrompt>.makeStream()
    context.promptHandler = { prompt in if let prompt { prompted.yield(prompt) } }
    let first = Task { await ending(of: context) }
    var prompt: LAPrompt?
    for await shown in prompts {
        prompt = shown
        break
    }
    let second = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await ending(of: context)
    }
    print("second: \(await second.value)")
    prompt?.cancel()
    print("first: \(await first.value)")
}

private func ending(of context: LAContext) async -> String {
    do {
        try await context.evaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, localizedReason: "try")
        return "let in"
    } catch {
        let error = error as? LAError
        return "\(error?.code.rawValue ?? 0) \(error?.cause?.rawValue ?? "")"
    }
}
