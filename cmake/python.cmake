# goban in Python: the package python/goban, a copy of which lies beside the modules, and the library
# that it calls, which knows nothing of Python and serves every version of it.
if(NOT GOBAN_PYTHON AND NOT GOBAN_TESTS)
  return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cpp)
add_library(goban_python SHARED ${python_sources} ${PROJECT_BINARY_DIR}/applications.cpp)
set_target_properties(goban_python PROPERTIES OUTPUT_NAME goban-python
  LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder} INSTALL_RPATH $ORIGIN/..
  UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_include_directories(goban_python PRIVATE ${PROJECT_SOURCE_DIR} python/src)
target_link_libraries(goban_python PRIVATE goban_cli ${goban_libraries})
target_compile_options(goban_python PRIVATE $<$<CONFIG:Release>:-O1>)  # nothing that computes
goban_run_in_ranks(goban_python)

file(GLOB python_files CONFIGURE_DEPENDS python/goban/*.py python/goban/py.typed)
set(python_package ${goban_module_folder}/python/goban)
foreach(file IN LISTS python_files)
  cmake_path(GET file FILENAME name)
  configure_file(${file} ${python_package}/${name} COPYONLY)
endforeach()
