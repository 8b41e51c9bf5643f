# Loops over rows and over the nodes of bodies, compiled for several instruction sets: the machine at
# hand decides which of them run. Without traps the compiler makes vectors of selections and of
# rounding, with the same values.
if(goban_on_arm)
  set(instruction_sets baseline/armv8-a)
else()
  set(instruction_sets baseline/x86-64 avx2/x86-64-v3 avx512/x86-64-v4)
endif()
foreach(set IN LISTS instruction_sets)
  cmake_path(GET set PARENT_PATH name)
  cmake_path(GET set FILENAME march)
  set_source_files_properties(src/goban/backend/cpu/evaluator/row_loops_${name}.cpp
    src/goban/particle/nodes/node_loops_${name}.cpp PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_OPTIONS "-march=${march};-mtune=generic;-fno-trapping-math")
endforeach()
