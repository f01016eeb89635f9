# Checks that an option of the same name means the same in every command, by `ortool help --json`.
"""usage: same_options.py PROGRAM

Same-named options take the same kind of value, from the same choices, and have the same help. _VARIED lists those whose
help or choices may differ, with the reason; their kind of value may not, but for those of _VARIED_VALUES.
"""
import json
import subprocess
import sys

_VARIED = {
    "--format": "each command has report formats of its own",
    "--metric": "quantize also judges by sqnr and by a command",
    "--rtol": "the defaults differ",
    "--atol": "the defaults differ",
    "--provider": "bench measures one variant for each",
    "--threads": "bench measures one variant for each",
    "--dim": "bench measures one variant for each; quantize has random inputs only",
    "--data": "run evaluates a set, inspect observes values on it",
    "--trace": "bench writes one with --profile, and has a default",
    "--precision": "sessions round operands of products to it, optimize writes a model in it",
    "--iterations": "run reports the median, bench decides by itself when to stop",
    "--explain": "run explains lowering, optimize near misses",
    "--save-repro": "run saves a run, optimize the part that differs",
    "--skip-pass": "run also skips passes of lowering",
    "--output": "merge writes a calibration or a report, the others a model",
}
_VARIED_VALUES = {"--output"}


def kind_of_value(option):
    """NAME=N,N is a list of NAME=N."""
    value = option["value"]
    if value and "," in value:
        head, _, last = value.partition(",")
        if head.endswith(last):
            return head
    return value


def differences(commands):
    found, first = [], {}
    for command in commands:
        for option in command["options"]:
            other, seen = first.setdefault(option["name"], (command["name"], option))
            where = f"{option['name']} of {other} and {command['name']}"
            if kind_of_value(option) != kind_of_value(seen) and option["name"] not in _VARIED_VALUES:
                found.append(f"{where}: takes {seen['value']} and {option['value']}")
            if option["name"] not in _VARIED:
                found += [f"{where}: different {key}: {seen[key]} and {option[key]}"
                          for key in ("choices", "help", "repeats", "minimum", "maximum") if option[key] != seen[key]]
    return found + [f"{name}: no command has it" for name in _VARIED if name not in first]


def main():
    printed = subprocess.run([sys.argv[1], "help", "--json"], stdout=subprocess.PIPE, check=True).stdout
    commands = json.loads(printed)["commands"]
    found = differences(commands)
    # A planted difference is found.
    planted = [dict(command, options=[dict(option) for option in command["options"]]) for command in commands[:2]]
    planted[1]["options"] += [dict(planted[0]["options"][0], value="PLANTED")]
    if not any("PLANTED" in line for line in differences(planted)):
        found.append("a planted difference is not found")
    print("\n".join(found) or f"the options of {len(commands)} commands agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
