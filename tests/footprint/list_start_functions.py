#!/usr/bin/env python3
"""Writes the list of functions that runs execute, which the linker places side by side (cmake/start_order.txt).

Each model is run once with the instruction sets of AVX2 and once with all of this processor, with one thread; so is
`inspect` of the first. A breakpoint at the start of each function tells when it is called for the first time (x86-64).
Functions that more of these runs execute come first, so that what all runs need lies in the fewest pages; of others,
those that the same runs execute lie together. The program must not be stripped.
usage: list_start_functions.py PROGRAM OUTPUT MODEL...
"""
import collections
import ctypes
import os
import re
import signal
import struct
import subprocess
import sys

HEADER = """# Functions that runs of small models execute, by their symbols; those that more runs execute come first.
# The linker places them side by side. Written by tests/footprint/list_start_functions.py; names that are gone do no harm.
"""
LEVELS = ("avx2", None)
BREAKPOINT = 0xCC
TRACE_ME, PEEK_USER, POKE_USER, CONTINUE = 0, 3, 6, 7
INSTRUCTION_POINTER = 16 * 8  # in struct user
ENTRY_POINT = 9  # of the auxiliary vector

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def trace(request, pid, address=0, data=0):
    ctypes.set_errno(0)
    result = libc.ptrace(request, pid, address, data)
    if result == -1 and ctypes.get_errno() != 0:
        raise OSError(ctypes.get_errno(), f"ptrace request {request}")
    return result & 0xFFFFFFFFFFFFFFFF


def functions_of(path):
    """The names of functions by their offset. The compiler merges equal functions: the section has one of their names."""
    names = collections.defaultdict(list)
    for line in subprocess.run(["nm", path], text=True, capture_output=True, check=True).stdout.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] in "tTwWuUi":
            names[int(fields[0], 16)].append(fields[2])
    return names


class TracedRun:
    """A process with breakpoints at the start of all functions of the program and of the library."""

    def __init__(self, command, environment):
        self.pid = os.fork()
        if self.pid == 0:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            trace(TRACE_ME, 0)
            os.execve(command[0], command, environment)
        self.wait_for_trap()
        self.memory = open(f"/proc/{self.pid}/mem", "r+b", buffering=0)  # closed with the process
        self.original = {}
        self.names = {}

    def wait_for_trap(self):
        """False: the process has ended."""
        deliver = 0
        while True:
            _, status = os.waitpid(self.pid, 0)
            if os.WIFEXITED(status):
                if os.WEXITSTATUS(status) != 0:
                    sys.exit(f"list_start_functions.py: a run ended with {os.WEXITSTATUS(status)}")
                return False
            if os.WIFSIGNALED(status):
                sys.exit(f"list_start_functions.py: a run ended by signal {os.WTERMSIG(status)}")
            if os.WSTOPSIG(status) == signal.SIGTRAP:
                return True
            deliver = os.WSTOPSIG(status)
            trace(CONTINUE, self.pid, 0, deliver)

    def read(self, address, count):
        self.memory.seek(address)
        return bytearray(self.memory.read(count))

    def write(self, address, data):
        self.memory.seek(address)
        self.memory.write(data)

    def set_breakpoint(self, address):
        self.original[address] = self.read(address, 1)
        self.write(address, bytes([BREAKPOINT]))

    def leave_breakpoint(self):
        """Takes the breakpoint away that was met; returns its address."""
        address = trace(PEEK_USER, self.pid, INSTRUCTION_POINTER) - 1
        self.write(address, self.original.pop(address))
        trace(POKE_USER, self.pid, INSTRUCTION_POINTER, address)
        return address

    def resume(self):
        trace(CONTINUE, self.pid)
        return self.wait_for_trap()

    def entry_point(self):
        with open(f"/proc/{self.pid}/auxv", "rb") as file:
            words = file.read()
        return next(value for key, value in struct.iter_unpack("QQ", words) if key == ENTRY_POINT)

    def set_all_breakpoints(self, known):
        loaded = {}
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as file:
            for line in file:
                fields = line.split(maxsplit=5)
                path = fields[5].strip() if len(fields) == 6 else ""
                if os.path.basename(path).startswith(("ortool", "libortool.so")):
                    begin, end = (int(number, 16) for number in fields[0].split("-"))
                    base = loaded.setdefault(path, begin)
                    if path not in known:
                        known[path] = functions_of(path)
                    if "x" in fields[1]:
                        self.set_breakpoints(base, begin, end, known[path])

    def set_breakpoints(self, base, begin, end, functions):
        code = self.read(begin, end - begin)
        for offset, names in functions.items():
            address = base + offset
            if begin <= address < end:
                self.names[address] = names
                self.original[address] = code[address - begin:address - begin + 1]
                code[address - begin] = BREAKPOINT
        self.write(begin, code)


def executed_functions(command, level, known):
    environment = dict(os.environ)
    environment.pop("ORTOOL_MAX_ISA", None)
    if level:
        environment["ORTOOL_MAX_ISA"] = level
    run = TracedRun(command, environment)
    # Libraries are loaded and relocated when the program begins.
    run.set_breakpoint(run.entry_point())
    run.resume()
    run.leave_breakpoint()
    run.set_all_breakpoints(known)
    found = set()
    while run.resume():
        address = run.leave_breakpoint()
        if address in run.names:
            found.update(run.names[address])
    run.memory.close()
    return found


def main():
    program, output, models = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    runs = [["inspect", models[0]]] + [["run", model, "--random", "--threads", "1"] for model in models]
    runs_of, known = collections.defaultdict(list), {}
    for number, (arguments, level) in enumerate((arguments, level) for arguments in runs for level in LEVELS):
        functions = executed_functions([program, *arguments], level, known)
        print(f"{len(functions)} functions: {' '.join(arguments)} ({level or 'all instruction sets'})")
        for name in functions:
            runs_of[name].append(number)
    # Parts of functions have sections of their own names only with a profile.
    names = [name for name in runs_of if re.fullmatch(r"\w+(\.constprop\.\d+|\.isra\.\d+|\.part\.\d+)*", name)]
    with open(output, "w", encoding="ascii") as file:
        file.write(HEADER)
        file.writelines(f"{name}\n" for name in sorted(names, key=lambda name: (-len(runs_of[name]), runs_of[name], name)))
    print(f"{output}: {len(names)} functions")


if __name__ == "__main__":
    main()
