"""Write the TypeScript types of the wire from the pydantic models.

``python scripts/gen_types.py`` writes ``labextension/src/wire/types.ts``, one type for each model,
by its name and not by its module, and ``Results``, what each command of the command table answers;
with ``--check`` it only says whether that file is current.
"""

from __future__ import annotations

import argparse
import builtins
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import JsonValue, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

if TYPE_CHECKING:
    from acp_jupyter.api.models.command_row import CommandRow

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "labextension/src/wire/types.ts"
JSON2TS = ROOT / "labextension/node_modules/.bin/json2ts"

REFERENCE_NOTE = re.compile(
    r" \* This interface was referenced by `Wire`'s JSON-Schema\n"
    r" \* via the `definition` \"\w+\".\n"
)
"""What the tool adds to the comment of every type."""

BANNER = "/* Made by `make gen` from the models in acp_jupyter; edit those. */\n"
DECLARED = re.compile(
    r"(?:/\*\*\n(?: \*[^\n]*\n)+)?export (?:type|interface) (\w+).*?(?=\n(?:/\*\*|export)|\Z)", re.S
)


class _UntitledFields(GenerateJsonSchema):
    """A field's title would become a type of its own in TypeScript."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def wire_schema() -> dict[str, Any]:
    """One JSON schema whose definitions are all the models of the wire."""
    from acp_jupyter.protocol.objects import Model

    # For these comments alone: to find them in the sources takes a third of a server's import.
    Model.model_config["use_attribute_docstrings"] = True
    from acp_jupyter.api.models.frames import WIRE_MODELS

    models: tuple[Any, ...] = WIRE_MODELS
    adapters: list[tuple[int, Any, TypeAdapter[Any]]] = [
        (index, "serialization", TypeAdapter(model)) for index, model in enumerate(models)
    ]
    _, schema = TypeAdapter.json_schemas(
        adapters, by_alias=False, schema_generator=_UntitledFields, ref_template="#/$defs/{model}"
    )
    definitions = schema["$defs"]
    for row in _rows_of_pages():
        # What has a default need not be sent.
        fields = row.model.model_fields
        definitions[row.model.__name__]["required"] = [
            name for name, field in fields.items() if name == "name" or field.is_required()
        ]
    for name, definition in definitions.items():
        definition["title"] = name
    if "JsonValue" in definitions:
        definitions["JsonValue"] = {"tsType": "unknown"}
    return {"title": "Wire", "type": "object", "$defs": dict(sorted(definitions.items()))}


def _rows_of_pages() -> list[CommandRow]:
    from acp_jupyter.api.models.command_table import COMMANDS

    return [row for row in COMMANDS if row.in_page]


def results() -> str:
    """The type that has the result of each command, by the command's name."""
    lines = [
        f"  {row.model.model_fields['name'].default}: {_written(row.result)};"
        for row in _rows_of_pages()
    ]
    return "\n".join(
        [
            "/** What the server answers to each command, by the command's name. */",
            "export interface Results {",
            *lines,
            "}",
        ]
    )


def _written(result: Any) -> str:
    """Write the type of a result in TypeScript."""
    arguments = get_args(result)
    match get_origin(result):
        case builtins.tuple:
            return f"{_written(arguments[0])}[]"
        case builtins.dict:
            return f"{{ [name: string]: {_written(arguments[1])} }}"
        case _:
            return {None: "null", str: "string", JsonValue: "unknown"}.get(result) or str(
                result.__name__
            )


def declarations(schema: dict[str, Any]) -> dict[str, str]:
    """Turn the schema into TypeScript: one exported type per definition, by its name."""
    done = subprocess.run(
        [
            JSON2TS,
            "--unreachableDefinitions",
            "--no-additionalProperties",
            "--maxItems=-1",
            "--bannerComment=",
            "--style.singleQuote",
            "--style.printWidth=100",
        ],
        input=json.dumps(schema, sort_keys=True),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    body = done.stdout.replace("export interface Wire {}\n", "")
    body = REFERENCE_NOTE.sub("", body).replace("/**\n */\n", "").replace(" *\n */\n", " */\n")
    found = {match[1]: match[0].strip() + "\n" for match in DECLARED.finditer(body.strip())}
    if missing := set(schema["$defs"]) - set(found):
        raise SystemExit(f"No TypeScript was made of {', '.join(sorted(missing))}.")
    return found


def typescript(found: dict[str, str]) -> str:
    """The text of the file: the version, then every type in the order of their names."""
    from acp_jupyter.api.models.frames import API_VERSION

    return "\n".join(
        [
            BANNER,
            "/** Version of the wire; page and server must have the same. */",
            f"export const API_VERSION = {API_VERSION};\n",
            *(found[name] for name in sorted(found)),
            results() + "\n",
        ]
    )


def main() -> int:
    """Write or check; 1 when the committed files are not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    check: bool = parser.parse_args().check
    generated = typescript(declarations(wire_schema()))
    there = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    if there == generated:
        return 0
    if check:
        print(
            f"{TARGET.relative_to(ROOT)} is not current. Run `make gen` and commit it.",
            file=sys.stderr,
        )
        return 1
    TARGET.write_text(generated, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
