"""``mcts-core completion SHELL``: the script by which a shell completes commands, options and games."""

from __future__ import annotations

import argparse

from mcts_core.cli import options
from mcts_core.games.registry import GAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcts_core.cli.options import Commands

SHELLS = ("bash", "zsh", "fish")
DESCRIPTION = """\
Print the script by which a shell completes commands, options, their values and games:

  bash   source <(mcts-core completion bash)               # in ~/.bashrc
  zsh    source <(mcts-core completion zsh)                # in ~/.zshrc, after compinit
  fish   mcts-core completion fish > ~/.config/fish/completions/mcts-core.fish"""
FILES = ("FILE",)
"""What the values of options are called that are files."""


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "completion", help="print the script by which a shell completes this command", description=DESCRIPTION,
        formatter_class=options.HelpFormatter)
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the script; returns the exit code."""
    from mcts_core.cli.main import build_parser

    print({"bash": bash, "zsh": zsh, "fish": fish}[args.shell](read(build_parser())))
    return 0


class Choice:
    """An option, or a place of an argument without a name: its words, what it means, and what may be its value.

    values: words; FILES for those of files; None where nobody can know them; an option without a value has ().
    """

    def __init__(self, action: argparse.Action) -> None:
        self.words = list(action.option_strings)
        self.help = " ".join((action.help or "").split()).split("; ")[0]
        self.values: tuple[str, ...] | None
        if action.choices is not None:
            self.values = tuple(map(str, action.choices))
        elif action.nargs == 0:
            self.values = ()
        elif action.metavar == "GAME":
            self.values = tuple(entry.name + ":" * entry.syntax.startswith(f"{entry.name}:") for entry in GAMES)
        else:
            self.values = FILES if action.metavar in FILES else None


class Command:
    """A command, ``""`` for what stands before one."""

    def __init__(self, name: str, help: str, parser: argparse.ArgumentParser) -> None:
        self.name, self.help = name, help
        actions = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
        self.options = [Choice(action) for action in actions if action.option_strings]
        self.places = [Choice(action) for action in actions if not action.option_strings]


def read(parser: argparse.ArgumentParser) -> list[Command]:
    """All commands of the parser; the first one has the options that stand before a command."""
    return [Command("", "", parser), *(Command(*each) for each in options.commands_of(parser))]


def words_of(commands: list[Command], command: Command) -> list[str]:
    """What can stand in a command where no option waits for its value, but for files."""
    words = [] if command.name else [each.name for each in commands if each.name]
    words += [word for choice in command.options for word in choice.words]
    return words + [word for choice in command.places if choice.values != FILES for word in choice.values or ()]


def takes_files(command: Command) -> bool:
    """Whether an argument without a name is a file."""
    return any(choice.values == FILES for choice in command.places)


def by_values(commands: list[Command]) -> dict[tuple[str, ...] | None, str]:
    """The options that have a value, as COMMAND,OPTION with bars between them, by what it may be."""
    found: dict[tuple[str, ...] | None, list[str]] = {}
    for command in commands:
        for choice in command.options:
            if choice.values != ():
                found.setdefault(choice.values, []).extend(f"{command.name},{word}" for word in choice.words)
    return {values: "|".join(names) for values, names in found.items()}


def names_of(commands: list[Command]) -> str:
    """The commands with bars between them."""
    return "|".join(command.name for command in commands if command.name)


def cases(commands: list[Command], no_words: str, files: str, words: str) -> list[str]:
    """The lines, for bash and zsh alike, that choose by ``$command`` and by ``$before``, the word before the cursor's.

    They do ``no_words`` where nobody can know the words, ``files`` where files may stand, and else ``words``, with the
    words in place of its ``%s``.
    """
    lines = ['  case "$command,$before" in']
    for values, names in by_values(commands).items():
        does = no_words if values is None else files if values == FILES else words % " ".join(values)
        lines.append(f"    {names}) {does} ;;")
    lines.append('    *) case "$command" in')
    for command in commands:
        also = f"; {files}" if takes_files(command) else ""
        lines.append(f'      "{command.name}") {words % " ".join(words_of(commands, command))}{also} ;;')
    return [*lines, "    esac ;;", "  esac"]


def bash(commands: list[Command]) -> str:
    """The script for bash."""
    # Bash cuts words at colons: the words are taken from the line, and of what is found the part before the last colon
    # of the word is left out, since that is on the line already.
    return "\n".join([
        "# bash completion of mcts-core",
        "_mcts_core() {",
        '  local line="${COMP_LINE:0:COMP_POINT}" word="" before="" command="" each words="" files=""',
        "  local -a parts",
        '  read -r -a parts <<< "$line"',
        '  case "$line" in *[[:space:]]) parts+=("") ;; esac',
        '  word="${parts[@]: -1}"',
        '  before="${parts[@]: -2:1}"',
        '  for each in "${parts[@]:1:${#parts[@]}-2}"; do',
        f'    case "$each" in {names_of(commands)}) command="$each"; break ;; esac',
        "  done",
        *cases(commands, "return", "files=1", 'words="%s"'),
        '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
        '  [ -z "$files" ] || COMPREPLY+=($(compgen -f -- "$word"))',
        '  case "$word" in *:*) COMPREPLY=("${COMPREPLY[@]#"${word%:*}:"}") ;; esac',
        "}",
        "complete -F _mcts_core mcts-core",
    ])


def zsh(commands: list[Command]) -> str:
    """The script for zsh."""
    return "\n".join([
        "#compdef mcts-core",
        "_mcts_core() {",
        '  local before="${words[CURRENT-1]}" command="" each',
        '  for each in "${(@)words[2,CURRENT-1]}"; do',
        f'    case "$each" in {names_of(commands)}) command="$each"; break ;; esac',
        "  done",
        *cases(commands, "_message value", "_files", "compadd -- %s"),
        "}",
        "compdef _mcts_core mcts-core",
    ])


def fish(commands: list[Command]) -> str:
    """The script for fish."""
    lines = ["# fish completion of mcts-core", "complete -c mcts-core -f"]
    for command in commands:
        seen = "__fish_use_subcommand"
        if command.name:
            lines.append(f"complete -c mcts-core -n {seen} -a {command.name} -d {_quoted(command.help)}")
            seen = f"'__fish_seen_subcommand_from {command.name}'"
        for choice in command.options:
            names = " ".join(f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}" for word in choice.words)
            lines.append(f"complete -c mcts-core -n {seen} {names}{_values(choice)} -d {_quoted(choice.help)}")
        for choice in command.places:
            if choice.values:
                more = " -F" if choice.values == FILES else f" -a {_quoted(' '.join(choice.values))}"
                lines.append(f"complete -c mcts-core -n {seen}{more}")
    return "\n".join(lines)


def _values(choice: Choice) -> str:
    if choice.values == ():
        return ""
    if choice.values == FILES:
        return " -r -F"
    return " -x" if choice.values is None else f" -x -a {_quoted(' '.join(choice.values))}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
