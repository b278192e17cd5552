"""One module a command. Its function `command` returns the exit code; its docstring is the help."""
