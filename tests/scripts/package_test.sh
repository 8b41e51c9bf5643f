# An installed goban is found by CMake and pkg-config, and the project `goban new` writes builds
# against it, runs its case and passes its test; the binary packages hold the same files.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$GOBAN_BINARY_DIR" --prefix "$prefix" >/dev/null
cd "$work"

echo "== after a run of one case alone, installing builds what is not there"
without_version() { sed -E 's/\.so\.[0-9.]*$/.so/' | sort -u; }
ninja -C "$GOBAN_BINARY_DIR" -t query goban_installed | tr -d " " | without_version >made
grep -vF OPTIONAL "$GOBAN_BINARY_DIR/cmake_install.cmake" |
  grep -oE "\"$GOBAN_BINARY_DIR/(bin|lib)/[^\":]*\"" | tr -d '"' | without_version >wanted
sed "s|^$GOBAN_BINARY_DIR/||" wanted | comm -23 - made | tee missing
test -s wanted
test ! -s missing

echo "== a project of its own, with a name that goban has a class of"
"$prefix/bin/goban" new setup | tee next
grep -F -- "-DCMAKE_PREFIX_PATH=$prefix &&" next
cmake -S setup -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build build
(cd setup && ../build/setup run cases/setup.toml --out ../out)
test -s out/summary.json
ctest --test-dir build --output-on-failure --no-tests=error

echo "== a program with the CMake file of the documentation and no build type is optimised"
mkdir program
sed 's/512, 512, 512/48, 40, 32/; s/steps = 1000/steps = 20/' \
  "$GOBAN_SOURCE/examples/diffusion/diffusion.cpp" >program/diffusion.cpp
sed -n '/^cmake_minimum_required/,/^```/{/^```/!p}' "$GOBAN_SOURCE/docs/own-program.md" >program/CMakeLists.txt
cmake -S program -B built -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build built
built/diffusion >said
grep "ended by" said
grep "checksum" said >checksums

echo "== the same through pkg-config, without optimisation and for any processor"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name goban.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --cflags --libs goban)
[[ " ${flags[*]} " != *" -march="* && " ${flags[*]} " != *" -O"* ]]
c++ program/diffusion.cpp "${flags[@]}" -O0 -ffp-contract=off -o plain
./plain >said
grep "checksum" said | diff - checksums

echo "== a script of Python with the installed package"
if python3 -c 'import numpy'; then
  sed 's/512, 512, 512/48, 40, 32/; s/steps=1000/steps=20/' \
    "$GOBAN_SOURCE/examples/python/diffusion.py" >script.py
  package=$(dirname "$(find "$prefix" -path '*/python/goban/__init__.py' -printf '%h\n')")
  PYTHONPATH=$package XDG_CACHE_HOME=$work/cache python3 script.py >said
  grep "ended by" said
fi

echo "== the package of Python as pip lays it out: what is installed lies within it"
if python3 -c 'import numpy'; then
  mkdir site
  cp -r "$GOBAN_SOURCE/python/goban" site
  cmake --install "$GOBAN_BINARY_DIR" --prefix "$PWD/site/goban/installed" >/dev/null
  export PYTHONPATH=$PWD/site XDG_CACHE_HOME=$work/cache
  python3 -c 'import goban; print(goban.__file__, goban.__version__)' | grep -F "$PWD/site/"
  python3 -c 'import sys; from goban.command_line import main
sys.argv = ["goban", "apps"]; main()' | grep heat
  python3 script.py | grep "ended by"
  unset PYTHONPATH
fi

echo "== binary packages"
cpack --config "$GOBAN_BINARY_DIR/CPackConfig.cmake" -G "DEB;TGZ" -B packages
dpkg-deb --info packages/*.deb
dpkg-deb --contents packages/*.deb | grep -F ./usr/bin/goban
tar -tzf packages/*.tar.gz | grep -F bin/goban
