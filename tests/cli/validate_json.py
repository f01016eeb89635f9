# Validates an ortool JSON document or JSON lines, from a file or stdin, against the schema that the program prints.
import json
import subprocess
import sys

import jsonschema


def refuse_constant(word):
    raise ValueError(f"{word} is not JSON")


def main():
    command, path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "/dev/stdin"
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    if command.endswith("-lines"):
        documents = [json.loads(line, parse_constant=refuse_constant) for line in text.splitlines()]
    else:
        documents = [json.loads(text, parse_constant=refuse_constant)]
    schema = json.loads(subprocess.run(["ortool", "schema", command], capture_output=True, check=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems = sorted((problem for document in documents for problem in validator.iter_errors(document)), key=str)
    for problem in problems[:10]:
        print(f"{problem.json_path}: {problem.message[:300]}")
    if not problems:
        print(f"valid, exit code {documents[0]['exit_code']}" if "exit_code" in documents[0] else "valid")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
