# SPDX-License-Identifier: Apache-2.0
"""Can a file make the process crash, hang, fill the memory or say something wrong?

Real files of every format are damaged byte by byte or word by word, and read in a process of their own with a limit on
its time and memory. Whatever the file, that process ends by itself, and what it raises is one of our errors, short.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path
from random import Random

from soak.deciding import Subject, Wrong
from soak.specs import spec

SECONDS = 60  # for a batch of files; one that needs more hangs
MEMORY = 6 << 30  # bytes that the process may take
BATCH = 25
LONGEST = 2000  # letters of an error
WORDS = [
    b"\x00",
    b"\xff\xfe",
    b'"',
    b"{",
    b"}",
    b"null",
    b"1e999",
    b"-1",
    b"nan",
    b"\xf0\x9f",
    b"9" * 40,
    b"[[[[",
    b"\r\n",
]
NUMBERS = [0, 1, 0x7FFFFF00, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x10000]


def reading(r: Random, folder: Path) -> int:
    """A batch of damaged files of all formats."""
    originals = _originals(r, folder)
    paths = []
    for i in range(BATCH):
        original = r.choice(originals)
        path = folder / f"damaged-{i}{original.suffix}"
        path.write_bytes(damaged(r, original.read_bytes()))
        paths.append(path)
    ran = subprocess.run(
        [sys.executable, "-m", "soak.files", *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        preexec_fn=_limited,
        check=False,
    )
    lines = ran.stdout.splitlines()
    if ran.returncode != 0 or any(line.startswith("BUG") for line in lines):
        at = next((i for i, line in enumerate(lines) if line.startswith("BUG")), len(lines) - 1)
        culprit = Path(next(line for line in reversed(lines[: at + 1]) if line.startswith("READ")).split(" ", 1)[1])
        raise Wrong(f"{culprit.suffix}, exit {ran.returncode}: {lines[at]} {ran.stderr[-300:]}", culprit.read_bytes())
    return len(paths)


def damaged(r: Random, data: bytes) -> bytes:
    """A few bytes changed, cut out, doubled or put in."""
    found = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 5])):
        at, kind = r.randrange(len(found) + 1), r.randrange(7)
        if kind == 0 and found:
            found[at % len(found)] = r.randrange(256)
        elif kind == 1:
            at = at // 4 * 4
            found[at : at + 4] = r.choice(NUMBERS).to_bytes(4, "little")
        elif kind == 2:
            del found[at : at + r.choice([1, 4, 50])]
        elif kind == 3:
            found[at:at] = r.choice(WORDS)
        elif kind == 4:
            found[at:at] = found[at : at + r.choice([1, 8, 64])]
        elif kind == 5:
            other = r.randrange(len(found) + 1)
            found[at : at + 8] = found[other : other + 8]
        elif r.random() < 0.2:
            del found[at:]
    return bytes(found)


def _originals(r: Random, folder: Path) -> list[Path]:
    """One classifier in every format that takes it, and a table of rows in every format there is."""
    import oddly

    subject = Subject(spec(r))
    found = []
    for suffix in (".json", ".csv", ".bif", ".net", ".uai", ".xmlbif", ".xdsl"):
        try:
            oddly.write(subject.model, folder / f"model{suffix}")
        except oddly.OddlyError:
            continue
        found.append(folder / f"model{suffix}")
    subject.odd.save(folder / "diagram.odd")
    rules = folder / "rules.txt"
    rules.write_text(
        "\n".join(
            [*(f"ignores {n}" for n in subject.names), *(f"monotone up in {n}" for n in subject.names), "# a word"]
        )
    )
    oddly.check(subject.odd, [oddly.rules.always(subject.odd.labels[0])]).save_certificate(folder / "proof.json")
    os.replace(folder / "proof.json", folder / "proof.certificate")
    return [*found, folder / "diagram.odd", rules, folder / "proof.certificate", *_tables(folder)]


def _tables(folder: Path) -> list[Path]:
    columns = {"name": ["x", "yy", "é", "x"] * 3, "n": [1, 2, None, 4] * 3, "class": ["p", "q"] * 6}
    (folder / "rows.csv").write_text(
        "name,n,class\n" + "".join(f"{a},{b},{c}\n" for a, b, c in zip(*columns.values(), strict=True))
    )
    (folder / "rows.arff").write_text(
        "@relation r\n@attribute name {x,yy}\n@attribute class {p,q}\n@data\nx,p\nyy,q\n?,p\n"
    )
    found = [folder / "rows.csv", folder / "rows.arff"]
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        return found
    table = pa.table({**columns, "kind": pa.array(columns["name"]).dictionary_encode()})
    feather.write_feather(table, folder / "rows.arrow", compression="uncompressed")
    parquet.write_table(table, folder / "rows.parquet")
    return [*found, folder / "rows.arrow", folder / "rows.parquet"]


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# ---- in a process of its own ----


def read(path: Path) -> None:
    """Whatever can be done with a file of this kind."""
    import oddly
    from oddly.questions.check.language import read_rules

    figure = oddly.compile(oddly.examples.pregnancy())
    if path.suffix == ".odd":
        found = oddly.load(path)
        list(oddly.instances(found, found.labels[0]))[:3]
    elif path.suffix == ".txt":
        oddly.check(figure, read_rules(path).rules)
    elif path.suffix == ".certificate":
        _verified(path)
    elif path.name.startswith("damaged") and path.suffix in (".arff", ".arrow", ".parquet"):
        oddly.learn(path, target="class")
    elif path.suffix == ".csv":
        for reader in (oddly.read, lambda p: oddly.learn(p, target="class")):
            _tried(reader, path)
    else:
        model = oddly.read(path)
        if not isinstance(model, oddly.Network):
            repr(oddly.compile(model, max_nodes=100_000))


def _tried(reader: object, path: Path) -> None:
    import oddly

    try:
        reader(path)  # type: ignore[operator]
    except oddly.OddlyError as error:
        if len(str(error)) > LONGEST:
            raise AssertionError(f"an error of {len(str(error))} letters") from error


def _verified(path: Path) -> None:
    """The checker, which says what is wrong and nothing else."""
    tool = Path(__file__).parents[1] / "tools" / "verify_certificate.py"
    ran = subprocess.run([sys.executable, tool, path], capture_output=True, text=True, timeout=SECONDS, check=False)
    if ran.returncode not in (0, 1, 2, 3) or "Traceback" in ran.stderr:
        raise AssertionError(f"the checker ends with {ran.returncode}: {ran.stderr[-200:]}")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print("READ", argument, flush=True)
        try:
            _tried(read, Path(argument))
        except MemoryError:
            print("BUG it took all the memory", flush=True)
        except Exception as error:
            print("BUG", type(error).__name__, str(error)[:300].encode("ascii", "replace").decode(), flush=True)
