"""One module a command of ``theorylab``; ``theorylab.cli`` imports a module when it is called."""
