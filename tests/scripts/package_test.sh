# An installed goban is found by CMake and pkg-config, and the project `goban new` writes builds
# against it, runs its case and passes its test; the binary packages hold the same files.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$GOBAN_BINARY_DIR" --prefix "$prefix" >/dev/null
cd "$work"

echo "== a project of its own, with a name that goban has a class of"
"$prefix/bin/goban" new setup | tee next
grep -F -- "-DCMAKE_PREFIX_PATH=$prefix &&" next
cmake -S setup -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build build
(cd setup && ../build/setup run cases/setup.toml --out ../out)
test -s out/summary.json
ctest --test-dir build --output-on-failure --no-tests=error

echo "== the library alone, through pkg-config"
cat >main.cpp <<'END'
#include <goban/base/build_info.hpp>
#include <iostream>
int main() { std::cout << goban::build_info().version << '\n'; }
END
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name goban.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --cflags --libs goban)
c++ main.cpp "${flags[@]}" -o main
test "$(./main)" = "$(pkg-config --modversion goban)"

echo "== binary packages"
cpack --config "$GOBAN_BINARY_DIR/CPackConfig.cmake" -G "DEB;TGZ" -B packages
dpkg-deb --info packages/*.deb
dpkg-deb --contents packages/*.deb | grep -F ./usr/bin/goban
tar -tzf packages/*.tar.gz | grep -F bin/goban
