"""Sources that misbehave, in a module of their own so that other processes can import them."""

import os
import signal
import time

from vademecum.testing import MemorySource


class Dying(MemorySource):
    """Its process is killed when it comes to a page that says so."""

    def read(self, refs):
        for result in super().read(refs):
            if "die here" in result.text:
                os.kill(os.getpid(), signal.SIGKILL)
            yield result


class Broken(MemorySource):
    """Raises what nobody expects."""

    def read(self, refs):
        for result in super().read(refs):
            if "break here" in result.text:
                raise RuntimeError("the odd page")
            yield result


class Forgetful(MemorySource):
    """Leaves one document out."""

    def read(self, refs):
        yield from list(super().read(refs))[1:]


class Exiting(MemorySource):
    """Ends its process in silence."""

    def read(self, refs):
        yield from super().read(refs)
        os._exit(0)


class Slow(MemorySource):
    """Takes its time, and writes down which process it is in."""

    def read(self, refs):
        for result in super().read(refs):
            with self.log.open("a") as log:
                log.write(f"process {os.getpid()}\n")
            time.sleep(0.005)
            yield result

    def processes(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return {line.removeprefix("process ") for line in lines if line.startswith("process ")}
