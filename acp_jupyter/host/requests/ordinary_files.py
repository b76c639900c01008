"""Recognises files of source, data, text or notebooks by their names.

The language or format of an extension comes from identify, pre-commit's library. Formats of
configuration and builds don't count as ordinary, nor do unknown ones: some program may run such a
file.
"""

from __future__ import annotations

from identify.extensions import EXTENSIONS, NAMES

__all__ = ["TEXT_NAMES", "is_ordinary", "ordinary_extensions"]

_KINDS = frozenset(
    {
        # Said of a format beside its name
        *("binary", "text", "header", "image", "audio", "icon"),
        # Text
        *("asciidoc", "bib", "diff", "markdown", "mdx", "myst", "ngdoc", "plain-text", "pofile"),
        *("quarto", "rst", "tex", "plantuml", "lektor", "xliff"),
        # Notebooks and data
        *("jupyter", "json", "json5", "ejson", "geojson", "jsonld", "csv", "tsv", "edn", "fits"),
        *("gpx", "kml", "icalendar", "wkt", "beancount", "avro-schema", "textproto", "map"),
        *("bitmap", "gif", "jpeg", "png", "svg", "icns", "avif", "webp", "tiff", "ppm", "wav"),
        *("eot", "otf", "ttf", "woff", "woff2", "pdf", "eps", "adobe-illustrator", "musescore"),
        # Source
        *("asm", "aspectj", "c", "c++", "inl", "c2hs", "c#", "clojure", "clojurescript", "coffee"),
        *("crystal", "cuda", "cython", "dart", "def", "elixir", "elm", "erlang", "f#", "fortran"),
        *("gdscript", "gherkin", "gleam", "go", "graphql", "haskell", "literate-haskell", "hlsl"),
        *("idl", "idris", "ino", "java", "javascript", "jsx", "julia", "kotlin", "lean", "lua"),
        *("luau", "magik", "metal", "mib", "nim", "objective-c", "objective-c++", "ocaml"),
        *("pascal", "perl", "php", "prisma", "proto", "purescript", "pyi", "python", "qml", "r"),
        *("ruby", "rust", "sas", "scala", "scheme", "solidity", "sql", "swift", "thrift", "ts"),
        *("tsx", "vala", "vb", "verilog", "system-verilog", "vhdl", "xquery", "yang", "zig"),
        *("apinotes", "dbc", "vdx"),
        # Pages
        *("html", "xhtml", "xml", "css", "less", "sass", "scss", "stylus", "vue", "svelte"),
        *("astro", "ejs", "erb", "gotmpl", "handlebars", "jade", "jinja", "liquid", "mustache"),
        *("nunjucks", "pug", "templ", "twig", "vtl"),
    }
)
_NOT_BY_TAG = frozenset(
    {"ejson", "kts", "escript", "nims", "tac", "wsgi", "xml", "rake", "gemspec"}
)
"""Extensions of files that run or configure, although they have the tags of a language or data."""

_MORE_DATA = frozenset(
    {
        # Tables and arrays
        *("arrow", "dat", "dbf", "dta", "feather", "h5", "hdf", "hdf5", "jsonl", "log", "mat"),
        *("nc", "ndjson", "npy", "npz", "ods", "orc", "parquet", "psv"),
        *("sas7bdat", "sav", "tab", "xls", "xlsx", "zarr"),
        # Sciences
        *("bed", "bib", "cif", "dcm", "edf", "fa", "fasta", "fastq", "fq", "gff", "gpkg", "las"),
        *("laz", "nii", "pdb", "sam", "shp", "shx", "prj", "tif", "vcf", "xyz", "geotiff"),
        # Languages of data work
        *("do", "ado", "mod", "pyx", "rmd", "rnw", "sps", "stan", "wl"),
        # Documents, sound and film
        *("doc", "docx", "odp", "odt", "org", "ppt", "pptx", "rtf", "srt", "vtt"),
        *("flac", "mkv", "mov", "mp3", "mp4", "ogg", "wav", "webm", "patch", "po"),
    }
)
"""Formats that identify lacks; without those that run code when loaded, such as pickles."""

TEXT_NAMES = frozenset(
    name.casefold() for name, tags in NAMES.items() if tags == EXTENSIONS["txt"]
) | {"citation", "codeowners", "history", "thanks", "todo", "version"}
_OTHER_NAMES = frozenset(map(str.casefold, NAMES)) - TEXT_NAMES


def is_ordinary(name: str) -> bool:
    """Return whether a file of this name is known to hold source, data, text or a notebook."""
    if name in TEXT_NAMES or name in _OTHER_NAMES:
        return name in TEXT_NAMES
    stem, _, extension = name.rpartition(".")
    if not stem or extension in _NOT_BY_TAG:
        return False
    tags = frozenset(EXTENSIONS.get(extension, ()))
    known = tags <= _KINDS and not tags <= {"text", "binary"}
    return known or extension in _MORE_DATA


def ordinary_extensions() -> tuple[str, ...]:
    """Return the extensions of such files, in order."""
    return tuple(sorted(each for each in _MORE_DATA | {*EXTENSIONS} if is_ordinary(f"a.{each}")))
