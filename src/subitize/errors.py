"""Everything that can go wrong and that a user can mend.

SubitizeError                 exit 1: anything that stopped the work
├── UsageError                exit 2: the command, a setting or an input is wrong
│   ├── UnknownName           a benchmark, model, reader or setting that is not there
│   ├── BadInput              a file or a value that can't be used
│   ├── WrongRun              a folder that holds another run, or a damaged one
│   └── MissingExtra          an optional package is not installed
├── RunLocked                 another process writes this run
├── StorageFull               the run folder can't be written
└── ModelError                one call to a model did not work
    ├── Retryable             worth another try (busy, time-out, closed connection)
    │   ├── WorkerLost        the process that computed it died
    │   ├── Unreachable       no connection can be made: nobody is there, or not yet
    │   ├── Relearned         the server wants the request put otherwise, which is done from now on
    │   └── Hollow            a reply without content: a few more tries, then it is what it is
    └── Hopeless              the same for every trial (no such model, wrong key): the run stops
        ├── Unable            the model itself can't do it, ever; exit 2: another one is to be named
        ├── Unfit             refused as it was asked: hopeless, unless others were answered
        └── NoCredit          no money or quota is left: the run stops at once, whatever came before

A message says what is wrong, what was found and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable

TYPES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
    tuple: "words with commas between them",
}


class SubitizeError(Exception):
    """Base of all errors with a message meant for the user."""

    exit_code = 1


class UsageError(SubitizeError):
    """The command, a setting or an input is wrong."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that is not in the list of known ones; the message offers the nearest."""

    def __init__(self, what: str, found: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches

        names = sorted(known)
        small = {name.casefold(): name for name in reversed(names)}
        near = get_close_matches(found.casefold(), small, n=1, cutoff=0.5)
        hint = f"did you mean {small[near[0]]!r}?" if near else f"known: {', '.join(names)}."
        super().__init__(f"There is no {what} {found!r}: {hint}")


class BadInput(UsageError):
    """A file or a value that can't be used."""


def in_words(kind: type) -> str:
    """What to give where a value of this type is wanted.

    >>> in_words(int), in_words(tuple)
    ('a whole number', 'words with commas between them')
    """
    return TYPES.get(kind, f"a value of type {kind.__name__}")


class WrongRun(UsageError):
    """A folder that holds another run, or a damaged one."""


class MissingExtra(UsageError):
    """An optional package is not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the package {package!r}, which is not installed: "
            f"run  pip install 'subitize[{extra}]'"
        )


class RunLocked(SubitizeError):
    """Another process writes this run."""


class StorageFull(SubitizeError):
    """The run folder can't be written."""


class ModelError(SubitizeError):
    """One call to a model did not work."""


class Retryable(ModelError):
    """Worth another try; `retry_after` is the server's own wish in seconds."""

    def __init__(
        self, message: str, retry_after: float | None = None, *, busy: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.busy = busy


class WorkerLost(Retryable):
    """The process that computed a batch died; the message holds its last words."""


class Unreachable(Retryable):
    """No connection can be made: nobody is there, or not yet."""


class Relearned(Retryable):
    """The server refused the form of a request, and said which it wants: asked again at once."""


class Hollow(Retryable):
    """A reply without any content; `reply` is what is kept of it when it stays so, if anything."""

    def __init__(self, message: str, reply: object = None) -> None:
        super().__init__(message)
        self.reply = reply


class Hopeless(ModelError):
    """The same for every trial: asking on would only waste calls."""


class Unable(Hopeless):
    """The model itself can't do what is asked: the same command again does not help."""

    exit_code = 2


class Unfit(Hopeless):
    """Refused as it was asked: the same for every trial, unless others were answered."""


class NoCredit(Hopeless):
    """No money or quota is left on the server: waiting does not help, paying does."""
