# goban in Python: the package python/goban, a copy of which lies beside the modules, and the library
# that it calls, which knows nothing of Python and serves every version of it.
#   goban_write_where(<file> <headers>)   what tells the package where it is
if(NOT GOBAN_PYTHON AND NOT GOBAN_TESTS)
  return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cpp)
add_library(goban_python SHARED ${python_sources} ${PROJECT_BINARY_DIR}/applications.cpp)
set_target_properties(goban_python PROPERTIES OUTPUT_NAME goban-python
  LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder} INSTALL_RPATH $ORIGIN/..
  UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(goban_python PRIVATE ${PROJECT_SOURCE_DIR} python/src)
target_link_libraries(goban_python PRIVATE goban_cli goban)
target_compile_options(goban_python PRIVATE $<$<CONFIG:Release>:-O1>)  # nothing that computes
goban_run_in_ranks(goban_python)

file(GLOB python_files CONFIGURE_DEPENDS python/goban/*.py python/goban/*.hpp)
set(python_package ${goban_module_folder}/python/goban)
foreach(file IN LISTS python_files)
  cmake_path(GET file FILENAME name)
  configure_file(${file} ${python_package}/${name} COPYONLY)
endforeach()

# Relative to the package; it lies likewise where it is installed.
function(goban_write_where file headers)
  set(python_library ../../libgoban-python.so)
  set(python_libraries ../../..)
  set(python_includes ..;${headers})
  set(python_options -std=c++20 -O3 ${goban_host_options} -fno-semantic-interposition)
  if(GOBAN_DEBUG)
    list(APPEND python_options -DGOBAN_DEBUG=1)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND python_options --param ggc-min-heapsize=524288)
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/python/goban/_where.py.in ${file} @ONLY)
endfunction()
goban_write_where(${python_package}/_where.py ${PROJECT_SOURCE_DIR}/src)
