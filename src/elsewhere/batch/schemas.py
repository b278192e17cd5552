"""The columns of a dataset: one schema for all its files, whatever else they hold.

Files may have columns of their own, columns in other types, and partition keys in the names of
their folders (`country=FR/…`), as Spark, Athena and DuckDB write them. Columns that are neither
known nor carried are never read.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import numpy as np

from elsewhere.batch.columns import albums_out, arrow, photos_in, scores_in
from elsewhere.batch.input_rows import CARRIED, LOST
from elsewhere.batch.open_file import LargeGroupError
from elsewhere.errors import FileError
from elsewhere.service import LARGEST

_IDS = ("album", "photo")
_VERSION = "version"
_VERSIONS = {_VERSION, "version_cost"}
"""Versions of photos, where a file has both: else they are columns like any other."""
_TEXTS = ("path", "place", "wishes", LOST)
_NUMBERS = ("lat", "lon", "version_cost")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # stands for null in the name of a folder
_ALBUM_TYPE = b"elsewhere.album"  # metadata: the type of album ids, where they are whole numbers


def partition_keys(name: str) -> dict[str, str | None]:
    """The keys in the folders of a file.

    >>> partition_keys("country=FR/city=Aix%20la/part-0.parquet")
    {'country': 'FR', 'city': 'Aix la'}
    """
    pairs = [folder.partition("=") for folder in name.split("/")[:-1] if "=" in folder]
    values = {unquote(key): unquote(value) for key, _, value in pairs}
    return {key: None if value == NO_VALUE else value for key, value in values.items() if key}


def file_schema(
    address: str,
    schema: Any,
    keys: Mapping[str, str | None] | None = None,
    carry: Sequence[str] = (),
) -> Any:
    """The columns of one file in the types that are used here; FileError where it cannot be used.

    `keys` are the partition keys of its folders, which are always carried.
    """
    pa, keys = arrow(), keys or {}
    fields = {field.name: field for field in schema}
    for key in keys:
        fields.setdefault(key, pa.field(key, pa.string()))
    for name in _IDS:
        if name not in fields:
            raise FileError(f"{address} has no column {name}: docs/batch.md says which are needed")
    scored = "scores" in fields
    known = [*(scores_in(2) if scored else photos_in()).names, LOST]
    if not set(fields) >= _VERSIONS:
        known = [name for name in known if name not in _VERSIONS]
    if not scored and not {"path", "content"} & set(fields):
        raise FileError(f"{address} has no column path, content or scores: give one of them")
    columns = []
    for name, field in fields.items():
        is_key = name in keys and name not in albums_out().names
        carried = name not in known and (is_key or name in carry)
        if name.startswith(CARRIED):  # of scattered rows that were brought together
            columns.append(field)
        elif name in known or carried:
            if schema.names.count(name) > 1:
                raise FileError(f"{address} has several columns called {name}: leave one of them")
            kind = _used_type(name if name in known else "", _plain_type(field.type))
            if kind is None:
                expected = _EXPECTED.get(name, "a plain value, to be carried")
                raise FileError(
                    f"{address} has {name} of type {field.type}, which must be {expected}"
                )
            # damage can make a file say that a column of nulls has none
            nullable = field.nullable or pa.types.is_null(kind)
            columns.append(pa.field(f"{CARRIED if carried else ''}{name}", kind, nullable))
    metadata = dict(schema.metadata or {})
    album = _plain_type(fields["album"].type)
    if pa.types.is_integer(album):
        metadata[_ALBUM_TYPE] = str(album).encode()
    return pa.schema(columns, metadata=metadata or None)


_EXPECTED = {
    **dict.fromkeys((*_IDS, _VERSION), "text or another single value"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys(_NUMBERS, "a number"),
    "content": "bytes (binary)",
    "scores": "a list of floats",
    "truth": "a list of whole numbers",
}


def _plain_type(kind: Any) -> Any:
    """A type without its encoding."""
    pa = arrow()
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    while pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    views = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
    return views.get(kind, kind)


def _used_type(name: str, kind: Any) -> Any:
    """The type in which a column is used; None where that is impossible. No name: carried."""
    pa = arrow()
    types = pa.types
    is_text = types.is_string(kind) or types.is_large_string(kind)
    if name in _IDS or (name == _VERSION and not types.is_null(kind)):
        if is_text:
            return kind
        return None if types.is_nested(kind) or types.is_null(kind) else pa.string()
    if not name:
        if types.is_nested(kind) or types.is_interval(kind):  # Parquet has no intervals
            return None
        if types.is_decimal(kind) and kind.bit_width < 128:  # such cannot be compared
            return pa.decimal128(kind.precision, kind.scale)
        return kind
    if types.is_null(kind):
        return None if name == "scores" else kind
    if types.is_decimal(kind) and name in _NUMBERS:
        return pa.float64()
    if name in _NUMBERS:
        is_right = types.is_floating(kind) or types.is_integer(kind)
    elif name == "content":
        is_right = types.is_binary(kind) or types.is_large_binary(kind)
    elif name == "scores":
        is_right = _is_list(kind) and types.is_floating(kind.value_type)
    elif name == "truth":
        is_right = types.is_integer(kind.value_type if _is_list(kind) else kind)
    else:
        is_right = is_text
    return kind if is_right else None


def _is_list(kind: Any) -> bool:
    types = arrow().types
    checks = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return any(check(kind) for check in checks)


def check_alike(address: str, first: Any, other: Any) -> None:
    """FileError where a file holds something else than the first one."""
    if ("scores" in first.names) != ("scores" in other.names):
        raise FileError(f"{address} and the first file differ: only one of them has scores")
    for name in (b"elsewhere.scorer", b"elsewhere.grid"):
        values = [(schema.metadata or {}).get(name) for schema in (first, other)]
        if None not in values and values[0] != values[1]:
            raise FileError(f"{address} has scores of another model than the first file")
    if "truth" in first.names and "truth" in other.names:
        kinds = [schema.field("truth").type for schema in (first, other)]
        if not any(map(arrow().types.is_null, kinds)) and _is_list(kinds[0]) != _is_list(kinds[1]):
            raise FileError(f"{address} has truth in another type than the first file")


def common_schema(schemas: Sequence[Any]) -> Any:
    """One schema that holds the columns of all."""
    pa = arrow()
    columns: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            before = columns.get(field.name)
            columns[field.name] = field if before is None else _common_field(before, field)
    metadata = dict(schemas[0].metadata or {})
    kinds = {(schema.metadata or {}).get(_ALBUM_TYPE, b"") for schema in schemas}
    if len(kinds) > 1:
        metadata[_ALBUM_TYPE] = b"" if b"" in kinds else b"int64"
    lacking = {name for name in columns if any(name not in schema.names for schema in schemas)}
    fields = [f.with_nullable(f.nullable or f.name in lacking) for f in columns.values()]
    return pa.schema(fields, metadata=metadata or None)


def _common_field(one: Any, other: Any) -> Any:
    """A field that holds the values of both."""
    pa = arrow()
    types = pa.types
    one = one.with_nullable(one.nullable or other.nullable)
    kinds = [one.type, other.type]
    if kinds[0] == kinds[1] or types.is_null(kinds[1]):
        return one
    if types.is_null(kinds[0]):
        return one.with_type(kinds[1])
    if all(map(_is_list, kinds)):
        values = [kind.value_type for kind in kinds]
        if all(map(types.is_integer, values)):
            return one.with_type(pa.large_list(pa.int64()))
        wide = any(map(types.is_float64, values))
        return one.with_type(pa.large_list(pa.float64() if wide else pa.float32()))
    if one.name == "content":
        return one.with_type(pa.large_binary())
    if all(map(types.is_integer, kinds)):
        return one.with_type(pa.int64())
    if all(types.is_integer(kind) or types.is_floating(kind) for kind in kinds):
        return one.with_type(pa.float64())
    return one.with_type(pa.large_string())


def in_schema(batch: Any, schema: Any, keys: Mapping[str, str | None]) -> Any:
    """A batch of one file in the dataset's schema; LargeGroupError where it becomes too large."""
    pa = arrow()
    arrays = []
    for field in schema:
        name = field.name if field.name in batch.schema.names else _own_name(field.name)
        if name in batch.schema.names:
            arrays.append(_converted(batch.column(name), field.type))
        elif keys.get(name) is not None:
            arrays.append(pa.repeat(pa.scalar(keys[name]), batch.num_rows).cast(field.type))
        else:
            arrays.append(pa.nulls(batch.num_rows, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _own_name(name: str) -> str:
    """The name of a column in its file."""
    return name.removeprefix(CARRIED)


def _converted(array: Any, kind: Any) -> Any:
    """A column in another type."""
    pa = arrow()
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_run_end_encoded(array.type):
        array = _decoded_runs(array)
    if pa.types.is_dictionary(array.type):
        array = _decoded_dictionary(array)
    if array.type == kind:
        return array
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        if pa.types.is_binary(array.type) or pa.types.is_fixed_size_binary(array.type):
            return pa.array([raw.as_py() and raw.as_py().hex() for raw in array], kind)
        if pa.types.is_decimal(array.type):
            return pa.array([None if v is None else str(v) for v in array.to_pylist()], kind)
    return array.cast(kind)


def _decoded_runs(array: Any) -> Any:
    """The values of a run-end-encoded column, each as often as it counts."""
    first, count = array.find_physical_offset(), array.find_physical_length()
    ends = np.asarray(array.run_ends).astype(np.int64)[first : first + count] - array.offset
    lengths = np.diff(np.minimum(ends, len(array)), prepend=0)
    numbers = arrow().array(np.repeat(np.arange(first, first + count), lengths))
    return _taken(array.values, numbers)


def _decoded_dictionary(array: Any) -> Any:
    """The values of a dictionary column."""
    return _taken(array.dictionary, array.indices)


def _taken(values: Any, numbers: Any) -> Any:
    """Some of the values by their numbers; LargeGroupError where a few stand for gigabytes."""
    from pyarrow import compute

    types = arrow().types
    checks = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    if any(check(values.type) for check in checks):
        lengths = compute.binary_length(values).take(numbers)
        if (compute.sum(lengths).as_py() or 0) > LARGEST:
            raise LargeGroupError
    return values.take(numbers)


def album_type(schema: Any) -> Any:
    """The type of album ids in the output: whole numbers as in the input, all else is text."""
    name = (schema.metadata or {}).get(_ALBUM_TYPE, b"").decode()
    return getattr(arrow(), name)() if name else arrow().string()


def serialize_schema(schema: Any) -> str:
    """A schema as text."""
    return base64.b64encode(schema.serialize()).decode()


def parse_schema(text: str) -> Any:
    """A schema from text."""
    from pyarrow import ipc

    return ipc.read_schema(arrow().py_buffer(base64.b64decode(text)))
