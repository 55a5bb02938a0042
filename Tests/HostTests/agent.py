#!/usr/bin/python3
"""A polkit agent for one process, as a desktop's is, through polkit's own library and helper.

    agent.py PID UID

Says on its standard output what a desktop would show, and answers with the lines of its standard input. ^A shuts the dialog.
"""
import sys

import gi

gi.require_version("Polkit", "1.0")
gi.require_version("PolkitAgent", "1.0")
from gi.repository import Gio, GLib, Polkit, PolkitAgent

PATH = "/agent"
INTERFACE = Gio.DBusNodeInfo.new_for_xml("""
<node><interface name="org.freedesktop.PolicyKit1.AuthenticationAgent">
  <method name="BeginAuthentication">
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{ss}" direction="in"/><arg type="s" direction="in"/><arg type="a(sa{sv})" direction="in"/>
  </method>
  <method name="CancelAuthentication"><arg type="s" direction="in"/></method>
</interface></node>""").interfaces[0]

pid, uid = map(int, sys.argv[1:])
session = None


def say(*words):
    print(*words, flush=True)


def called(connection, sender, path, interface, method, arguments, invocation):
    global session
    if method == "CancelAuthentication":
        session.cancel()
        invocation.return_value(None)
        return
    session = PolkitAgent.Session.new(Polkit.UnixUser.new(uid), arguments[4])

    def completed(session, gained):
        say("dialog closed:", "authorized" if gained else "refused")
        invocation.return_value(None)

    session.connect("request", lambda session, text, echoes: say("asks:", text))
    session.connect("show-info", lambda session, text: say("tells:", text))
    session.connect("show-error", lambda session, text: say("warns:", text))
    session.connect("completed", completed)
    say("dialog opened")
    session.initiate()


def typed(channel, condition):
    line = sys.stdin.readline().rstrip("\n")
    session.cancel() if line == "\1" else session.response(line)
    return True


bus = Gio.bus_get_sync(Gio.BusType.SYSTEM)
bus.register_object(PATH, INTERFACE, called, None, None)
Polkit.Authority.get_sync().register_authentication_agent_sync(Polkit.UnixProcess.new_for_owner(pid, 0, uid), "C", PATH)
GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IO_IN, typed)
say("agent registered")
GLib.MainLoop().run()
