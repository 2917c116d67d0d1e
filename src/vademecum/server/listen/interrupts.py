"""SIGINT in processes with their own handlers. A process that was started with SIGINT ignored keeps ignoring it."""

import signal


def keep_ignoring() -> None:
    """Keep ignoring SIGINT if this process was started with SIGINT ignored, like a background job.

    The signal is blocked, because libraries install their own handlers later. Threads and child processes inherit this.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def listen_again() -> None:
    """Undo `keep_ignoring`: from now on, SIGINT raises `KeyboardInterrupt` in the main thread."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
