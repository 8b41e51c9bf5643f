# What most sources include, read once. Headers of goban are not among it, so that a change of one
# compiles again what includes it and no more; <nlohmann/json.hpp> is not, as it instantiates
# templates in every source, wanted or not. Sources include what they use all the same:
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
set(goban_precompiled
    <algorithm> <array> <charconv> <chrono> <cmath> <filesystem> <functional> <map> <memory>
    <optional> <sstream> <string> <tuple> <vector> <fmt/format.h>)
foreach(target goban goban_plain)
  target_precompile_headers(${target} PRIVATE ${goban_precompiled})
endforeach()
foreach(target goban_solver goban_adjoint)
  target_precompile_headers(${target} REUSE_FROM goban_plain)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
target_precompile_headers(goban_particle REUSE_FROM goban)
