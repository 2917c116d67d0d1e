"""A file that cannot be read; each source has its own names of faults, and hints to them."""


class BadFile(Exception):
    """One file that cannot be read. It never leaves its source: it becomes a `Problem`.

    Args:
        fault: One of the source's fixed names.
        message: What happened.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault
        self.message = message
