#!/usr/bin/env bash
# The kernels' tests under AddressSanitizer and UndefinedBehaviorSanitizer: tests/sanitize.sh PYTHON
# Builds an instrumented module beside the real one, in build/sanitize, and puts it first on the path.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
out=$PWD/build/sanitize
mkdir -p "$out"

"$python" -m pip install --quiet --disable-pip-version-check nanobind
cmake -S . -B "$out/cmake" -DODDLY_SANITIZE=ON -DCMAKE_BUILD_TYPE=None \
  -DPython_EXECUTABLE="$("$python" -c 'import sys; print(sys.executable)')" > "$out/configure.log"
cmake --build "$out/cmake" --parallel 2 > "$out/build.log"
rm -rf "$out/path" && mkdir -p "$out/path"
cp -r src/oddly "$out/path/"
cp "$out"/cmake/_kernels*.so "$out/path/oddly/native/"

# Python itself is not instrumented: its allocations at exit are not ours to judge.
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)" \
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONPATH="$out/path" \
  "$python" -c "
import sys, pytest
sys.meta_path = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]  # the editable install's
import oddly.native
assert 'sanitize' in oddly.native._kernels.__file__, oddly.native._kernels.__file__
sys.exit(pytest.main(['-p', 'no:doctest', '--override-ini', 'addopts=', '-q', '-p', 'no:cacheprovider',
                      'tests/test_native.py', 'tests/test_engine.py', 'tests/test_diagram.py', 'tests/test_combine.py', 'tests/test_beyond_kernels.py']))"
