import Glibc

func end(_ what: String, _ code: Int32) -> Never {
    print(what)
    exit(code)
}
