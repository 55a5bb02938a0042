import Foundation

/// systemd-journald played for one program: what that writes as entries with fields comes out as lines of its output,
/// `4 MESSAGE`, after the entry's priority. For a program that has a mount namespace and a `/run` of its own.
public enum PlayedJournal {
    /// What the program is to be started under.
    public static func wrapper(in directory: TemporaryDirectory) throws -> [String] {
        let script = try directory.write(
            """
            import os, socket, struct, sys

            place = '/run/systemd/journal'
            os.makedirs(place, exist_ok=True)
            stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            stream.bind(place + '/stdout')
            stream.listen()
            entries = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            entries.bind(place + '/socket')
            errors = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            errors.connect(place + '/stdout')
            if os.fork() != 0:
                os.dup2(errors.fileno(), 2)
                os.execv(sys.argv[1], sys.argv[1:])
            errors.close()
            program = stream.accept()[0]


            def fields(data):
                while data:
                    head, _, data = data.partition(b'\\n')
                    name, sign, value = head.partition(b'=')
                    if not sign:
                        length = struct.unpack('<Q', data[:8])[0]
                        value, data = data[8:8 + length], data[9 + length:]
                    yield name.decode(), value.decode()


            def tell(data):
                entry = dict(fields(data))
                rest = ['%s=%s' % (name.lower(), value) for name, value in entry.items() if name.startswith('BIOAUTH_')]
                print(entry['PRIORITY'], ' '.join([entry['MESSAGE']] + rest), flush=True)


            import select
            while True:
                ready = select.select([entries, program], [], [])[0]
                if entries in ready:
                    tell(entries.recv(65536))
                elif not program.recv(65536):
                    break
            """, to: "played_journal.py")
        return ["/usr/bin/python3", script]
    }
}
