#!/usr/bin/env bash
# The kernels' tests under AddressSanitizer and UndefinedBehaviorSanitizer, then kernels on several threads at once under
# ThreadSanitizer: tests/sanitize.sh PYTHON
# Builds instrumented modules beside the real one, in build/sanitize, and puts each first on the path. Python itself is not
# instrumented: what it allocates at exit is not ours to judge (no leaks are looked for), and what NumPy's own threads do is
# not either (they are switched off). Python's lock is made of pthread calls, which ThreadSanitizer sees, so that no race
# is reported that the lock prevents and no list of suppressions is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
"$python" -m pip install --quiet --disable-pip-version-check nanobind

# check SANITIZERS LIBRARY TEST...: build the kernels with them, and run these tests with the sanitizer's library loaded first.
check() {
  local out=$PWD/build/sanitize/$1 library=$2
  mkdir -p "$out"
  cmake -S . -B "$out/cmake" -DODDLY_SANITIZE="$1" -DCMAKE_BUILD_TYPE=None \
    -DPython_EXECUTABLE="$("$python" -c 'import sys; print(sys.executable)')" > "$out/configure.log"
  cmake --build "$out/cmake" --parallel 2 > "$out/build.log"
  rm -rf "$out/path" && mkdir -p "$out/path"
  cp -r src/oddly "$out/path/"
  rm -f "$out"/path/oddly/native/*.so
  cp "$out"/cmake/_kernels*.so "$out/path/oddly/native/"
  echo "the kernels under -fsanitize=$1"
  # Without random addresses: ThreadSanitizer's map of memory has no room for what newer kernels of Linux make of them.
  LD_PRELOAD="$(g++ -print-file-name="$library") $(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1:exitcode=66 \
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH="$out/path" \
    setarch "$(uname -m)" -R "$python" -c "
import sys, pytest
sys.meta_path = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]  # the editable install's
import oddly.native
assert 'sanitize' in oddly.native._kernels.__file__, oddly.native._kernels.__file__
sys.exit(pytest.main(['-p', 'no:doctest', '--override-ini', 'addopts=', '-q', '--capture=sys', '-p', 'no:cacheprovider', *sys.argv[1:]]))" \
    "${@:3}"
}

check address,undefined libasan.so tests/test_native.py tests/test_engine.py tests/test_diagram.py tests/test_combine.py \
  tests/test_beyond_kernels.py tests/test_threads.py
check thread libtsan.so tests/test_native.py tests/test_threads.py tests/test_engine.py::test_covers_and_threads_change_nothing \
  tests/test_engine.py::test_large_diagrams_agree_with_numpy
