"""Write the TypeScript types of the wire from the pydantic models.

``python scripts/gen_types.py`` writes ``labextension/src/wire/types/``, a file for each module of
models; with ``--check`` it only says whether those files are current.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "labextension/src/wire/types"
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
JSON_VALUE = "JsonValue"


class _UntitledFields(GenerateJsonSchema):
    """A field's title would become a type of its own in TypeScript."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def wire_schema() -> dict[str, Any]:
    """One JSON schema whose definitions are all the models of the wire."""
    from acp_jupyter.api.models.frames import WIRE_MODELS

    models: tuple[Any, ...] = WIRE_MODELS
    adapters: list[tuple[int, Any, TypeAdapter[Any]]] = [
        (index, "serialization", TypeAdapter(model)) for index, model in enumerate(models)
    ]
    _, schema = TypeAdapter.json_schemas(
        adapters, by_alias=False, schema_generator=_UntitledFields, ref_template="#/$defs/{model}"
    )
    definitions = schema["$defs"]
    for name, definition in definitions.items():
        definition["title"] = name
    if JSON_VALUE in definitions:
        definitions[JSON_VALUE] = {"tsType": "unknown"}
    return {"title": "Wire", "type": "object", "$defs": dict(sorted(definitions.items()))}


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


def home_of(name: str) -> PurePosixPath:
    """Where the type of that name goes: beside its module, or alone."""
    for module, contents in list(sys.modules.items()):
        found = vars(contents).get(name) if module.startswith("acp_jupyter.") else None
        if found is not None and getattr(found, "__module__", None) == module:
            return PurePosixPath(*module.split(".")[1:])
    return PurePosixPath(name)


def typescript(found: dict[str, str]) -> dict[str, str]:
    """Each file's text by its path below the target: one a module, and one that names them all."""
    homes = {name: home_of(name) for name in found}
    files: dict[str, str] = {}
    for home in sorted(set(homes.values())):
        own = {name: text for name, text in found.items() if homes[name] == home}
        text = "".join(own.values())
        words = set(re.findall(r"\w+", text))
        needed: dict[PurePosixPath, list[str]] = {}
        for name in sorted((words & set(found)) - set(own)):
            needed.setdefault(homes[name], []).append(name)
        imports = "".join(
            f"import type {{ {', '.join(names)} }} from '{_relative(home, place)}';\n"
            for place, names in sorted(needed.items())
        )
        files[f"{home}.ts"] = f"{BANNER}\n{imports}\n{text}" if imports else f"{BANNER}\n{text}"
    index = "".join(f"export type * from './{home}';\n" for home in sorted(set(homes.values())))
    files["index.ts"] = f"{BANNER}\n{index}"
    return files


def _relative(home: PurePosixPath, place: PurePosixPath) -> str:
    path = os.path.relpath(place, home.parent)
    return path if path.startswith(".") else f"./{path}"


def main() -> int:
    """Write or check; 1 when the committed files are not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    check: bool = parser.parse_args().check
    made = {TARGET / path: text for path, text in typescript(declarations(wire_schema())).items()}
    there = {path: path.read_text(encoding="utf-8") for path in TARGET.rglob("*.ts")}
    if check and there != made:
        print(
            f"{TARGET.relative_to(ROOT)} is not current. Run `make gen` and commit it.",
            file=sys.stderr,
        )
        return 1
    for path in set(there) - set(made):
        path.unlink()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if there.get(path) != text:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
