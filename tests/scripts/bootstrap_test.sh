# ./goban builds when stale and hands over arguments and exit code; packages are installed only after
# a yes. Runs the real scripts over a toy project and stand-ins for dpkg-query and apt-get.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset CI GOBAN_PRESET

fail() { echo "FAILED: $1" >&2; cat "$work/out" "$work/err" >&2; exit 1; }
expect() {  # expect <exit code> <command>...: its output goes to out and err
  local code=$1 actual=0
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null || actual=$?
  [[ $actual == "$code" ]] || fail "exit code $actual instead of $code: $*"
}
says() { grep -qF -- "$2" "$work/$1" || fail "$1 does not say: $2"; }

# A toy project behind the real bootstrap.
mkdir -p "a project/scripts" stand-ins
cp "$GOBAN_SOURCE/goban" "$GOBAN_SOURCE/CMakePresets.json" "a project"
cp "$GOBAN_SOURCE/scripts/install_packages" "$GOBAN_SOURCE/scripts/packages.txt" "a project/scripts"
cat >"a project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_executable(goban-cli main.cpp)
set_target_properties(goban-cli PROPERTIES OUTPUT_NAME goban)
add_compile_definitions(BUILD_TYPE="${CMAKE_BUILD_TYPE}")
add_library(app_wave SHARED EXCLUDE_FROM_ALL main.cpp)
add_custom_target(goban_python COMMAND ${CMAKE_COMMAND} -E touch lib/goban/python/toy_goban.py)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lib/goban/python)
option(GOBAN_PYTHON "" OFF)
set_target_properties(app_wave PROPERTIES LIBRARY_OUTPUT_DIRECTORY lib/goban OUTPUT_NAME goban-app-wave)
if(GOBAN_TESTS)
  enable_testing()
  add_custom_target(quick_tests DEPENDS goban-cli)
  add_executable(slow_toy main.cpp)
  add_test(NAME toy.passes COMMAND goban-cli)
  add_test(NAME toy.slow COMMAND slow_toy)
  add_test(NAME toy.fails COMMAND goban-cli --fail)
  add_test(NAME toy.long COMMAND sh -c "test -z \"$GOBAN_LONG_TESTS\"")
  set_tests_properties(toy.slow toy.fails toy.long PROPERTIES LABELS slow)
endif()
END
cat >"a project/main.cpp" <<'END'
#include <cstdio>
#include <cstdlib>
#include <string>
int main(int count, char** arguments) {
  const std::string last = arguments[count - 1];
  if (last == "wave.toml") {  // needs a module of its application
    std::system(('"' + std::string(std::getenv("GOBAN_BUILDER")) + "\" --build app_wave").c_str());
  }
  for (int i = 1; i < count; ++i) std::printf("[%s]", arguments[i]);
  std::puts(" version 1, " BUILD_TYPE);
  return count > 1 ? 42 : 0;
}
END
cat >stand-ins/dpkg-query <<'END'
#!/bin/sh
test -e "$STAND_INS/installed" && printf "ii "
END
cat >stand-ins/apt-get <<'END'
#!/bin/sh
echo "apt-get $*" >>"$STAND_INS/calls"
case "$*" in *install*) touch "$STAND_INS/installed" ;; esac
END
cat >stand-ins/sudo <<'END'
#!/bin/sh
"$@"
END
chmod +x stand-ins/*
export STAND_INS=$work/stand-ins PATH=$work/stand-ins:$PATH
goban="$work/a project/goban"

expect 3 "$goban" run
says err "apt-get install -y --no-install-recommends g++ cmake"
[[ ! -e stand-ins/calls ]] || fail "installed without a yes"

expect 42 "$goban" --yes run "two words" --yes
says out "[run][two words][--yes] version 1, Release"
says stand-ins/calls "libfmt-dev"
! grep -q libgtest-dev stand-ins/calls || fail "installs the tests' packages to run a case"

expect 0 "$goban"
says out " version 1, Release"
[[ ! -s err ]] || fail "a build that is not stale says something"

# The application of a case is built when the program asks for it.
wave="a project/build/release/lib/goban/libgoban-app-wave.so"
expect 42 "$goban" run other.toml
[[ ! -e $wave ]] || fail "builds an application that nothing names"
expect 42 "$goban" run wave.toml
says err "building"
[[ -e $wave ]] || fail "does not build the application of a case"
expect 42 "$goban" describe wave.toml
[[ ! -s $work/err ]] || fail "builds an application again"

# Edited: rebuilt, from any directory and through a link.
sed -i 's/version 1/version 2/' "a project/main.cpp"
ln -s "$goban" link
cd /
expect 42 "$work/link" --version
says out "[--version] version 2"

expect 0 env GOBAN_PRESET=dev "$goban"
says out "RelWithDebInfo"

# Python: the package is built, found, and gets the arguments; its packages are asked for if missing.
expect 5 "$goban" python -c 'import sys, toy_goban; print(sys.argv); sys.exit(5)' "two words" --yes
says out "['-c', 'two words', '--yes']"
printf '#!/bin/sh\nexit 1\n' >"$work/stand-ins/python3"
chmod +x "$work/stand-ins/python3"
if ! /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  rm "$work/stand-ins/installed"
  expect 3 "$goban" python -c ''
  says err "python3-numpy"
  touch "$work/stand-ins/installed"
fi
expect 0 "$goban" python -c 'import toy_goban'
rm "$work/stand-ins/python3"

# Tests: configured and installed for when first asked.
rm "$work/stand-ins/installed"
expect 3 "$goban" test
says err "libgtest-dev"
expect 0 "$goban" --yes test
says out "100% tests passed, 0 tests failed out of 1"
[[ ! -e "a project/build/release/bin/slow_toy" ]] || fail "quick tests build what slow ones need"
expect 8 "$goban" test --all
says out "75% tests passed, 1 tests failed out of 4"
expect 0 "$goban" test -R passes
says out "100% tests passed, 0 tests failed out of 1"
expect 8 "$goban" test -R matches_nothing
expect 8 "$goban" test --long -R long
says out "0% tests passed, 1 tests failed out of 1"

# Started twice at once, as by mpirun: cmake runs once at a time, and both hand over.
cmake=$(command -v cmake)
cat >"$work/stand-ins/cmake" <<END
#!/bin/sh
mkdir "$work/busy" || { touch "$work/met"; exit 1; }
sleep 0.2
code=0
"$cmake" "\$@" || code=\$?
rmdir "$work/busy"
exit \$code
END
chmod +x "$work/stand-ins/cmake"
rm -r "$work/a project/build/release"
pids=()
for i in 1 2; do
  "$goban" run $i >"$work/out.$i" 2>"$work/err.$i" </dev/null &
  pids+=($!)
done
for i in 1 2; do
  code=0
  wait "${pids[i - 1]}" || code=$?
  cp "$work/out.$i" "$work/out"; cp "$work/err.$i" "$work/err"
  [[ $code == 42 ]] || fail "start $i of two ends with $code"
  says out "[run][$i] version 2, Release"
done
[[ ! -e $work/met ]] || fail "two at once run cmake in one folder"
rm "$work/stand-ins/cmake"

# Broken: the compiler's message, the log's name, nothing of an old program.
sed -i 's/puts/pust/' "$work/a project/main.cpp"
expect 1 "$goban" --version
says err "main.cpp"
says err "cannot build"
says err "build/release/build.log"
[[ ! -s $work/out ]] || fail "a stale program ran"
