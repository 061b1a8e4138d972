"""One module a command of ``theorylab``; ``theorylab.cli`` imports a module when it is called."""

__all__: list[str] = []
