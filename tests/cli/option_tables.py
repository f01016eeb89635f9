# Generates the option tables of docs/reference/options.md from `ortool help --json`, or checks that they are current.
"""usage: option_tables.py PROGRAM PAGE [--write]"""
import json
import subprocess
import sys

_INTRODUCTION = """# Options

All options of all commands, as `ortool COMMAND --help --all` shows them. This page is generated:

```sh
python3 tests/cli/option_tables.py build/release/bin/ortool docs/reference/options.md --write
```
"""


def cell(text):
    return text.replace("|", "\\|").replace("<", "\\<")


def name_cell(option):
    value = f" {option['value']}" if option["value"] else ""
    return f"`{option['name']}{value}`"


def table(options):
    rows = ["| option | effect |", "|---|---|"]
    for option in options:
        note = "; may be repeated" if option["repeats"] else ""
        rows.append(f"| {cell(name_cell(option))} | {cell(option['help'])}{note} |")
    return rows


def page(commands):
    common = set.intersection(*({option["name"] for option in command["options"]
                                 if option["name"] != "--format"} for command in commands))
    lines = [_INTRODUCTION, "## All commands", ""]
    lines += table([option for option in commands[0]["options"] if option["name"] in common and not option["planned"]])
    for command in commands:
        lines += ["", f"## {command['name']}", "", command["summary"][0].upper() + command["summary"][1:] + "."]
        own = [option for option in command["options"] if option["name"] not in common and not option["planned"]]
        for group in dict.fromkeys(option["group"] for option in own):
            lines += ["", f"### {command['name']}: {group.lower()}", ""]
            lines += table([option for option in own if option["group"] == group])
    return "\n".join(lines) + "\n"


def main():
    program, path = sys.argv[1:3]
    printed = subprocess.run([program, "help", "--json"], stdout=subprocess.PIPE, check=True).stdout
    wanted = page(json.loads(printed)["commands"])
    if sys.argv[3:] == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    with open(path, encoding="utf-8") as file:
        is_current = file.read() == wanted
    print(f"{path} is {'current' if is_current else 'not up to date with `ortool help --json`: use --write'}")
    return 0 if is_current else 1


if __name__ == "__main__":
    sys.exit(main())
