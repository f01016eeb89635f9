"""Errors: what went wrong, where, and what to do about it."""
import enum


class Status(enum.IntEnum):
    """What became of a call. The values are the exit codes of the ortool program."""

    OK = 0
    NEGATIVE_RESULT = 1
    INVALID = 2
    NO_CONCLUSION = 3
    PROVIDER_UNAVAILABLE = 4
    UNSUPPORTED = 5
    MEMORY_LIMIT = 6
    WRITE_FAILED = 7
    TIMEOUT = 124
    INTERRUPTED = 130
    TERMINATED = 143


class Error(Exception):
    """An error of ortool.

    Attributes:
        status: the Status, such as Status.INVALID.
        message: what is wrong and where, and what was found and expected, in one line.
        hint: what to do about it; empty if there is no advice.
        rule: a stable name of the rule that is violated, such as "graph.cycle"; may be empty.
        node: the node, as "'name' (Type)"; empty if the error is about no node.
    """

    def __init__(self, status: int, message: str, hint: str = "", rule: str = "", node: str = "") -> None:
        super().__init__(status, message, hint, rule, node)
        self.status = Status(status)
        self.message = message
        self.hint = hint
        self.rule = rule
        self.node = node

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message
