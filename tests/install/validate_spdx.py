"""Validates SPDX documents with spdx-tools; --broken validates a document with an invalid location and a relation to nothing."""
import json
import os
import sys
import tempfile

from spdx_tools.spdx.parser.error import SPDXParsingError
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document


def list_errors(path):
    try:
        return [message.validation_message for message in validate_full_spdx_document(parse_file(path))]
    except SPDXParsingError as error:
        return error.get_messages()


def break_document(path, folder):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    document["packages"][0]["downloadLocation"] = "nowhere"
    document["relationships"][0]["relatedSpdxElement"] = "SPDXRef-Missing"
    broken = os.path.join(folder, os.path.basename(path))
    with open(broken, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return broken


def read_namespace(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["documentNamespace"]


def validate(paths):
    errors = [f"{path}: {error}" for path in paths for error in list_errors(path)]
    if len(set(map(read_namespace, paths))) != len(paths):
        errors.append("two documents share a namespace")
    print("\n".join(errors))
    return 1 if errors else 0


def main():
    if sys.argv[1:2] != ["--broken"]:
        return validate(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        return validate([break_document(path, folder) for path in sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
