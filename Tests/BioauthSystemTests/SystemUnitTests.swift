import Testing

@testable import BioauthSystem

@Suite struct SystemUnitTests {
    @Test func `what systemctl shows is read, unit by unit`() {
        let text = """
            ActiveState=active
            LoadState=loaded
            Id=bioauthd.socket

            Id=bioauthd.service
            LoadState=not-found
            ActiveState=inactive

            """
        #expect(
            SystemUnit.parse(text).map { [$0.name, $0.load, $0.active] } == [
                ["bioauthd.socket", "loaded", "active"], ["bioauthd.service", "not-found", "inactive"],
            ])
        #expect(SystemUnit.parse("Id=x\n\nnonsense\n").isEmpty)
    }
}
