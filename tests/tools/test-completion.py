#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""docactl's completions, in the shells that they are for: what TAB makes of a line, and
what there is to choose from.

    test-completion.py BINARIES SHELL
"""

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

DOCACTL, SHELL = os.path.join(os.path.realpath(sys.argv[1]), "docactl"), sys.argv[2]
LIMIT = 100

# Control-T puts all that there is to choose from into the line, Control-G writes the line
# to a file and empties it.
BASH = r"""
PS1=
bind 'set bell-style none' '"\C-t": insert-completions'
bind -x '"\C-g": printf %s "$READLINE_LINE" >new; mv new line; READLINE_LINE= READLINE_POINT=0'
. ./docactl.bash
"""
ZSH = r"""
PS1=
unsetopt beep zle_bracketed_paste
fpath=($PWD $fpath)
autoload -Uz compinit && compinit -D -u
all() { _main_complete; compstate[insert]=all }
write() { print -rn -- $BUFFER >new; mv new line; BUFFER= }
zle -C all complete-word all
zle -N write
bindkey -e
bindkey '^T' all '^G' write
"""


class Shell:
    """An interactive shell on a terminal of its own, in the current folder."""

    def __init__(self):
        if SHELL == "bash":
            setup, script, command = "rc", "docactl.bash", ["bash", "--rcfile", "rc", "-i"]
        else:
            setup, script, command = ".zshrc", "_docactl", ["zsh", "-d", "-i"]
        with open(setup, "w", encoding="utf-8") as f:
            f.write(BASH if SHELL == "bash" else ZSH)
        with open(script, "w", encoding="utf-8") as f:
            f.write(docactl("help", "--as", SHELL))
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            here = os.getcwd()
            os.execvpe(command[0], command, dict(os.environ, TERM="xterm", HOME=here, ZDOTDIR=here,
                                                 HISTFILE="", LC_ALL="C"))

    def close(self):
        os.close(self.terminal)  # hangs up
        os.waitpid(self.pid, 0)

    def line(self, keys):
        """What the line is after these keys."""
        os.write(self.terminal, keys.encode() + b"\a")
        seen, deadline = b"", time.monotonic() + LIMIT
        while not os.path.exists("line"):
            assert time.monotonic() < deadline, (keys, seen)
            if select.select([self.terminal], [], [], 0.01)[0]:
                seen += os.read(self.terminal, 65536)
        with open("line", encoding="utf-8") as f:
            text = f.read()
        os.unlink("line")
        return text

    def completed(self, text):
        return self.line("docactl " + text + "\t")[len("docactl "):]

    def choices(self, text):
        """The words that may stand where the last word of the text begins."""
        before = text[:text.rfind(" ") + 1]
        line = self.line("docactl " + text + "\x14")[len("docactl "):]
        assert line.startswith(before), (text, line)
        return sorted(line[len(before):].split())


def docactl(*words):
    return subprocess.run([DOCACTL, *words], capture_output=True, text=True, check=True).stdout


def check_script():
    """What a shell says of the script without running it."""
    if SHELL == "zsh":
        subprocess.run(["zsh", "-n", "_docactl"], check=True)
        with open("_docactl", encoding="utf-8") as f:
            assert f.readline() == "#compdef docactl\n"
    elif shutil.which("shellcheck"):
        subprocess.run(["shellcheck", "-s", "bash", "docactl.bash"], check=True)


def check_commands(shell):
    names = [command["name"].split() for command in json.loads(docactl("help", "--json"))]
    groups = {words[0] for words in names if len(words) > 1}
    assert shell.choices("") == sorted({words[0] for words in names})
    assert shell.choices("help ") == sorted({words[0] for words in names})
    for group in groups:
        seconds = sorted(words[1] for words in names if words[0] == group and len(words) > 1)
        assert shell.choices(group + " ") == seconds, group
        assert shell.choices(f"help {group} ") == seconds, group
    assert shell.completed("ses") == "sessions "
    assert shell.completed("exports rev") == "exports revoke "
    assert shell.completed("--socket /x --json exports rev") == "--socket /x --json exports revoke "
    assert shell.completed("-s /x cert") == "-s /x certificates "
    assert shell.completed("-s/x cert") == "-s/x certificates "
    assert shell.completed("--socket=/x ses") == "--socket=/x sessions "
    assert shell.completed("help mon") == "help monitor "


def check_options(shell):
    for command in json.loads(docactl("help", "--json")):
        arguments = (command["arguments"] or "").replace("[COMMAND]", "").split()
        for option in command["options"]:
            line = " ".join([command["name"], *arguments, "--" + option["name"]])
            # zsh goes on with the sign of an argument that may stand behind it.
            got = shell.completed(line)
            assert got in (line + " ", line + "="), (line, got)
    assert shell.completed("sessions --js") == "sessions --json "
    assert shell.completed("--js") == "--json "
    assert shell.completed("exports put x --na").rstrip("= ") == "exports put x --name"
    assert shell.completed("ping --al") == "ping --al"


def check_arguments(shell):
    os.makedirs("folder")
    for name in "file", "some name":
        with open(name, "w", encoding="utf-8"):
            pass
    # These need docactl, and no daemon.
    shell.line(f"PATH={os.path.dirname(DOCACTL)}:$PATH\r")
    assert shell.completed("why doca_mmap_star") == "why doca_mmap_start "
    assert shell.completed("why doca_mmap_start DOCA_ERROR_NO_ME") == \
        "why doca_mmap_start DOCA_ERROR_NO_MEMORY "
    assert len(shell.choices("why doca_mmap_start DOCA_ERROR_")) == 30
    assert shell.choices("log-level ") == ["debug", "error", "info", "warning"]
    assert shell.completed("-j log-level de") == "-j log-level debug "
    assert shell.choices("help --as ") == ["bash", "man", "zsh"]
    assert shell.completed("exports put fi") == "exports put file "
    assert shell.completed("exports put so") == r"exports put some\ name "
    assert shell.completed("exports put --name x fi") == "exports put --name x file "
    assert shell.completed("exports get 1 -o fi") == "exports get 1 -o file "
    assert shell.completed("exports get 1 --output=fi") == "exports get 1 --output=file "
    assert shell.completed("--socket fo") == "--socket folder/"
    assert shell.completed("certificates authority fo") == "certificates authority folder/"
    assert shell.completed("certificates node fo") == "certificates node fo"
    line = "certificates node --days 3 x fo"
    assert shell.completed(line) == line + "lder/"
    assert shell.completed("certificates authority fi") == "certificates authority fi"
    # What there is at the moment: docactl is asked, at the socket that is named.
    os.makedirs("bin")
    with open("bin/docactl", "w", encoding="utf-8") as f:
        f.write("""#!/bin/sh
case "$*" in
"exports -H -o id") echo 00000000000000a1; echo 00000000000000b2 ;;
"exports names -H -o published") echo model; echo frame ;;
"sessions -H -o id") echo 71; echo 82 ;;
"devices -H -o name") echo pf0; echo p1 ;;
"--socket /x sessions -H -o pid" | "--socket=/x sessions -H -o pid") echo 314 ;;
*) exit 1 ;;
esac
""")
    os.chmod("bin/docactl", 0o755)
    shell.line(f"PATH={os.getcwd()}/bin:$PATH\r")
    assert shell.choices("exports show ") == ["00000000000000a1", "00000000000000b2"]
    assert shell.completed("exports revoke 00000000000000b") == \
        "exports revoke 00000000000000b2 "
    assert shell.completed("exports lookup m") == "exports lookup model "
    assert shell.completed("exports revoke --name f").rstrip() == "exports revoke --name frame"
    assert shell.completed("-s /x exports revoke --pid 3").rstrip() == \
        "-s /x exports revoke --pid 314"
    assert shell.choices("caps ") == ["p1", "pf0"]
    assert shell.choices("sessions end ") == ["71", "82"]
    # No file is offered if none is possible.
    for line in ("status fi", "exports revoke fi", "exports get 1 fi", "exports put --name fi",
                 "top --count fi", "nonsense fi"):
        assert shell.completed(line) == line, line


if not shutil.which(SHELL):
    print(f"{SHELL} is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as FOLDER:
    os.chdir(FOLDER)
    INTERACTIVE = Shell()
    try:
        check_script()
        check_commands(INTERACTIVE)
        check_options(INTERACTIVE)
        check_arguments(INTERACTIVE)
    finally:
        INTERACTIVE.close()
        os.chdir("/")
