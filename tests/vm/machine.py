# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026, the docad authors
"""One guest: its qemu process, its console and its directory; see `run`."""
import contextlib
import ctypes
import functools
import hashlib
import os
import platform
import shlex
import shutil
import signal
import socket
import subprocess
import threading
import time

import clock

HERE = os.path.dirname(os.path.realpath(__file__))
SRC = os.path.dirname(os.path.dirname(HERE))
PASSED, FAILED, SKIPPED = 0, 1, 77
ADDRESSES = {"host": "192.168.77.1", "dpu": "192.168.77.2"}
# Of a machine of each architecture, by Debian's name: what it boots with.
ARCHITECTURES = {
    "amd64": {
        "qemu": "qemu-system-x86_64",
        "package": "qemu-system-x86",
        # TCG copies memory byte by byte where the processor promises a fast `rep movsb` (erms).
        # One more level of page tables (la57) makes each page fault longer; each switch of user
        # access (smap) ends a block of translated code; wide registers (xsave) are emulated in
        # small pieces, and saved in each switch of threads.
        "machine": ["-M", "q35", "-cpu", "max,-erms,-la57,-smap,-xsave,-avx,-avx2"],
        "console": "ttyS0",
        "append": "mitigations=off no_timer_check",
    },
    "arm64": {
        "qemu": "qemu-system-aarch64",
        "package": "qemu-system-arm",
        # BlueField-2's processor; more features would cost more to emulate.
        "machine": ["-M", "virt,gic-version=3", "-cpu", "cortex-a72"],
        "console": "ttyAMA0",
        "append": "mitigations=off",
    },
}
NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), "amd64")


class Failure(Exception):
    """Something that makes the test fail before or beside its script."""


class Skip(Exception):
    """Something that a test needs is not here."""


def accelerators(arch):
    """qemu tries them in this order."""
    # Not by itself: there are machines with a /dev/kvm on which guests do not boot.
    kvm = os.environ.get("DOCAD_VM_ACCEL") == "kvm" and os.access("/dev/kvm", os.R_OK | os.W_OK)
    return (["-accel", "kvm"] if kvm and arch == NATIVE else []) + ["-accel", "tcg,thread=multi,tb-size=128"]


def timers(arch):
    """Kernel parameters that say how a guest reads the time."""
    if arch != "amd64":
        return ""
    # The kernel measures the frequency of the TSC while it boots. On a busy machine it gets
    # that wrong, and time in the guest passes several times too fast. qemu's TSC is that of this
    # machine, whose frequency is known here; without it the guest reads a slow timer.
    khz = clock.tsc_khz()
    return f" tsc=reliable tsc_early_khz={khz}" if khz else " tsc=unstable clocksource=acpi_pm"


@functools.cache
def prepare(arch):
    """Returns the directory with what guests of the architecture boot."""
    if not shutil.which(ARCHITECTURES[arch]["qemu"]):
        package = ARCHITECTURES[arch]["package"]
        raise Skip(f"no {ARCHITECTURES[arch]['qemu']}; Debian's package {package} has it")
    command = [os.path.join(HERE, "prepare"), "--arch", arch]
    prepared = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if prepared.returncode == SKIPPED:
        raise Skip(prepared.stdout.strip().replace("SKIPPED: ", ""))
    if prepared.returncode != 0:
        raise Failure("no guest to boot: tests/vm/prepare failed")
    return prepared.stdout.strip()


def die_with_parent():
    """In a child: no machine stays when this program is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def assignments(values):
    """Returns the text of a file for the shell that sets variables."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items())


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Machine:
    """One guest. `mode` is plain, systemd or container; `directory` is its own."""

    def __init__(self, directory, arch, build, mode, memory, role=""):
        self.name = role or "vm"
        self.directory, self.arch, self.build = directory, arch, build
        self.mode, self.memory, self.role = mode, memory, role
        self.prefix = f"{role}: " if role else ""
        self.share_build = not build.startswith(SRC + os.sep)
        self.result_directory = os.path.join(directory, "result")
        self.process, self.pid = None, 0
        self.changed = threading.Condition()
        self.log, self.began = None, time.monotonic()
        self.forget()

    # ---- what it boots with

    def constants(self):
        """The variables that scripts have and that stay the same while the guest runs."""
        peer = {"host": "dpu", "dpu": "host"}.get(self.role, "")
        return {
            "VM_NAME": self.name,
            "VM_MODE": self.mode,
            "VM_SRC": SRC,
            "VM_BUILD": self.build,
            "VM_SHARE_BUILD": "1" if self.share_build else "",
            "VM_ROLE": self.role,
            "VM_IP": ADDRESSES.get(self.role, ""),
            "VM_PEER": ADDRESSES.get(peer, ""),
            "VM_PEER_ROLE": peer,
            "VM_MACHINE_ID": hashlib.md5(self.name.encode()).hexdigest(),
        }

    def settle(self, test, variables):
        """Writes what the next script is and which variables it has."""
        values = {**variables, **self.constants(), "VM_TEST": test}
        write(os.path.join(self.result_directory, "settings"), assignments(values))

    def make_directory(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.result_directory)
        hosts = "".join(f"{ip} {name}\n" for name, ip in ADDRESSES.items() if self.role)
        write(os.path.join(self.result_directory, "hosts"), hosts)
        self.settle("", {})

    def command(self, netdev=None, pair_directory=None):
        arch, image = ARCHITECTURES[self.arch], prepare(self.arch)
        append = f"console={arch['console']} quiet panic=-1 random.trust_cpu=on net.ifnames=0"
        append += " " + arch["append"] + timers(self.arch)
        # The kernel's tests of its ciphers hang for good now and then, where qemu emulates the CPU.
        append += " cryptomgr.notests"
        if self.mode == "systemd":
            append += " systemd.unit=docad-vm.target systemd.log_color=no systemd.show_status=0"
            append += f" systemd.mask=serial-getty@{arch['console']}.service"
        command = [arch["qemu"], *arch["machine"], *accelerators(self.arch)]
        command += ["-smp", "1" if self.role else "2", "-m", str(self.memory)]
        command += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
        # Paths are short: this is the process's working directory.
        console = "socket,id=console,path=console,server=on,wait=off,logfile=console.log"
        command += ["-chardev", console, "-serial", "chardev:console", "-device", "virtio-rng-pci"]
        command += ["-kernel", f"{image}/kernel", "-initrd", f"{image}/initrd"]
        command += ["-append", append]
        command += ["-drive", f"file={image}/root.img,format=raw,if=virtio,readonly=on"]
        shares = [("src", SRC, True), ("result", self.result_directory, False)]
        shares += [("build", self.build, True)] if self.share_build else []
        shares += [("pair", pair_directory, False)] if self.role else []
        for tag, path, read_only in shares:
            options = f"local,id={tag},path={path},security_model=none,multidevs=remap"
            command += ["-fsdev", options + (",readonly=on" if read_only else "")]
            command += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        if netdev:
            number = 1 if self.role == "host" else 2
            device = f"virtio-net-pci,netdev=net0,mac=52:54:00:77:00:0{number}"
            command += ["-netdev", netdev, "-device", device]
        return command

    def start(self, netdev=None, pair_directory=None, keep=False):
        """Boots it. One that is kept does not end with this program."""
        with open(os.path.join(self.directory, "qemu.log"), "wb") as log:
            self.process = subprocess.Popen(
                self.command(netdev, pair_directory),
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=keep,
                preexec_fn=None if keep else die_with_parent,
            )
        self.pid = self.process.pid
        write(os.path.join(self.directory, "pid"), str(self.pid))

    def adopt(self):
        """Takes over one that another program has booted and kept. Returns whether it is there."""
        try:
            with open(os.path.join(self.directory, "pid"), encoding="utf-8") as file:
                self.pid = int(file.read())
            with open(f"/proc/{self.pid}/cmdline", "rb") as file:
                ours = os.fsencode(self.result_directory) in file.read()
        except (OSError, ValueError):
            return False
        return ours and self.connect(1)

    def answers(self):
        """Whether it takes orders. It may just have ended, because it had none."""
        self.order("hello")
        return self.wait_mark(60, "@vm ready") == "@vm ready"

    # ---- its console

    def connect(self, seconds=30):
        """Opens the console. Returns False if there is none."""
        console, deadline = socket.socket(socket.AF_UNIX), time.monotonic() + seconds
        directory = os.open(self.directory, os.O_PATH)
        try:
            while True:
                try:
                    console.connect(f"/proc/self/fd/{directory}/console")
                    break
                except OSError:
                    if not self.runs() or time.monotonic() > deadline:
                        return False
                    time.sleep(0.02)
        finally:
            os.close(directory)
        self.console = console
        self.follow(console.makefile("rb"))
        return True

    def follow(self, stream):
        threading.Thread(target=self.follow_console, args=(stream,), daemon=True).start()

    def forget(self):
        """What the console has said so far does not count."""
        with self.changed:
            self.lines, self.marks, self.shown, self.panic = [], [], False, False

    def log_to(self, path):
        """Lines of the console, also those that are not forgotten yet, go to this file."""
        with self.changed:
            self.log = open(path, "w", encoding="utf-8")
            self.log.writelines(f"        {line}\n" for line in self.lines)

    def follow_console(self, stream):
        """Prints what the script prints; keeps all of it."""
        with contextlib.suppress(OSError):
            for line in stream:
                self.take_line(line.decode(errors="replace").rstrip("\r\n"))
        with self.changed:
            self.marks.append("@vm gone")
            self.changed.notify_all()

    def take_line(self, line):
        with self.changed:
            if self.log:
                self.log.write(f"{time.monotonic() - self.began:7.2f} {line}\n")
                self.log.flush()
            self.lines.append(line)
            self.panic = self.panic or "Kernel panic" in line
            _, at, mark = line.rpartition("@vm ")
            if at:
                self.marks.append(at + mark)
                self.changed.notify_all()
                if mark in ("begin",) or mark.startswith("end "):
                    self.shown = mark == "begin"
            elif self.shown:
                print(line if line.startswith("SKIPPED:") else self.prefix + line, flush=True)

    def order(self, text):
        try:
            self.console.sendall(text.encode() + b"\n")
        except OSError:
            pass # it is gone, which the next mark says

    def mark(self, *prefixes):
        """The first of the guest's marks that begins with one of these, or None."""
        with self.changed:
            return next((mark for mark in self.marks if mark.startswith(prefixes)), None)

    def wait_mark(self, seconds, *prefixes):
        deadline = time.monotonic() + seconds
        with self.changed:
            while not (mark := self.mark(*prefixes, "@vm gone")):
                if not self.changed.wait(deadline - time.monotonic()) and time.monotonic() > deadline:
                    return None
        return mark

    # ---- its end

    def runs(self):
        if self.process:
            return self.process.poll() is None
        return os.path.exists(f"/proc/{self.pid}")

    def processor_seconds(self):
        """The time that qemu has used; 0 once it has ended."""
        try:
            with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        elif self.pid:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            while self.runs():
                time.sleep(0.02)
        self.pid = 0

    def result(self, timed_out):
        """The script's status, once it has ended."""
        try:
            with open(os.path.join(self.result_directory, "status"), encoding="utf-8") as file:
                return int(file.read())
        except (OSError, ValueError):
            pass
        why = "the guest's kernel panicked" if self.panic else "the guest ended without a result"
        if timed_out:
            why = timed_out
        print(f"{self.prefix}vm: {why}; the end of its console:", flush=True)
        for line in self.lines[-40:] or self.log_of_qemu():
            print(f"{self.prefix}| {line}")
        return None

    def log_of_qemu(self):
        with open(os.path.join(self.directory, "qemu.log"), encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
