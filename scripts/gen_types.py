"""Write the TypeScript types of the wire from the pydantic models.

``python scripts/gen_types.py`` writes ``labextension/src/wire/types.ts``, one type for each model,
by its name and not by its module, and ``Results``, what each command of the command table answers.
It also writes ``labextension/src/wire/saved_shapes.ts``, by which the page reads turns in
notebooks: what each field of their models can be. With ``--check`` it only says whether both files
are current.
"""

from __future__ import annotations

import argparse
import builtins
import json
import re
import subprocess
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypeAliasType

if TYPE_CHECKING:
    from acp_jupyter.api.models.command_row import CommandRow

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "labextension/src/wire/types.ts"
SHAPES = ROOT / "labextension/src/wire/saved_shapes.ts"
JSON2TS = ROOT / "labextension/node_modules/.bin/json2ts"
PRETTIER = ROOT / "labextension/node_modules/.bin/prettier"

REFERENCE_NOTE = re.compile(
    r" \* This interface was referenced by `Wire`'s JSON-Schema\n"
    r" \* via the `definition` \"\w+\".\n"
)
"""What the tool adds to the comment of every type."""

BANNER = "/* Made by `make gen` from the models in acp_jupyter; edit those. */\n"
DECLARED = re.compile(
    r"(?:/\*\* [^\n]* \*/\n)?export (?:type|interface) (\w+).*?(?=\n(?:/\*\*|export)|\Z)", re.S
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


def _shorten_comments(definition: dict[str, Any]) -> None:
    """Leave the first sentence of a comment: a page's reader finds the rest at the model."""
    fields: dict[str, Any] = definition.get("properties", {})
    for each in (definition, *fields.values()):
        if "description" in each:
            words = " ".join(each["description"].split("\n\n")[0].split())
            each["description"] = re.split(r"(?<=[a-z`)]\.) (?=[A-Z])", words)[0]
        if "$ref" in each and "description" in each:
            # Beside a comment, the tool would make a type of its own.
            each["allOf"] = [{"$ref": each.pop("$ref")}]


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
    for definition in schema["$defs"].values():
        _shorten_comments(definition)
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
    body = re.sub(r"/\*\*\n +\* (.*)\n +\*/", r"/** \1 */", body)
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


def saved_shapes() -> str:
    """The text of the file with the shapes of what is saved: `TurnSnapshot` and all it contains."""
    from acp_jupyter.transcript.output.record import TurnSnapshot

    shapes: dict[str, dict[str, Any]] = {}
    waiting: list[type[BaseModel]] = [TurnSnapshot]
    while waiting:
        model = waiting.pop()
        if model.__name__ not in shapes:
            shapes[model.__name__] = {
                name: _form(field.annotation, field.get_default(call_default_factory=True), waiting)
                for name, field in model.model_fields.items()
            }
    kinds = {shape["kind"][0]: name for name, shape in shapes.items() if "kind" in shape}
    parts = {"SHAPES": dict(sorted(shapes.items())), "KINDS": dict(sorted(kinds.items()))}
    written = [
        f"export const {name} = {json.dumps(part)} as const;" for name, part in parts.items()
    ]
    return _pretty("\n".join([BANNER, *written]))


def _form(annotation: Any, default: Any, found: list[type[BaseModel]]) -> Any:
    """Return what a field can be, and add the models in it to ``found``.

    A list has the texts that are possible, the default first. A name with a capital is a model's.
    ``[]`` marks a list, ``?`` what can be null, and a number alone is the default of a number.
    """
    if isinstance(annotation, TypeAliasType):
        annotation = annotation.__value__
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _form(arguments[0], default, found)
    if origin is Literal:
        return sorted(arguments, key=lambda each: (each != default, arguments.index(each)))
    if origin is tuple:
        return f"{_form(arguments[0], None, found)}[]"
    if origin in {Union, UnionType}:
        others = [each for each in arguments if each is not NoneType]
        forms = [_form(each, None, found) for each in others]
        if len(forms) > 1:
            return "Item" if all(hasattr(each, "model_fields") for each in others) else "json"
        return forms[0] if forms == ["json"] else f"{forms[0]}?"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        found.append(annotation)
        return annotation.__name__
    if annotation in {int, float}:
        return default if isinstance(default, int | float) else "number"
    return {str: "text", bool: "flag"}.get(annotation, "json")


def _pretty(text: str) -> str:
    """Write TypeScript as prettier does."""
    done = subprocess.run(
        [PRETTIER, "--parser", "typescript", "--print-width", "100", "--single-quote"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


def main() -> int:
    """Write or check; 1 when the committed files are not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    check: bool = parser.parse_args().check
    made = {TARGET: typescript(declarations(wire_schema())), SHAPES: saved_shapes()}
    stale = {
        path: text
        for path, text in made.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        if check:
            name = path.relative_to(ROOT)
            print(f"{name} is not current. Run `make gen` and commit it.", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
