# A hash of all headers, which the library and the modules of applications are compiled with: modules
# of an older build are refused instead of loaded. Included by the build; as a script it writes the
# header, and leaves it untouched when nothing changed.
cmake_minimum_required(VERSION 3.25)
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(interface_header ${PROJECT_BINARY_DIR}/generated/goban_interface.hpp)
  add_custom_command(OUTPUT ${interface_header}.stamp BYPRODUCTS ${interface_header} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${interface_header}
            -P ${CMAKE_CURRENT_LIST_FILE}
    COMMAND ${CMAKE_COMMAND} -E touch ${interface_header}.stamp
    DEPENDS ${goban_headers} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Reading the headers")
  add_custom_target(goban_interface DEPENDS ${interface_header}.stamp)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/interface.cpp @ONLY CONTENT [[
#include "goban/base/modules.hpp"
#include "goban_interface.hpp"
const char* goban::interface_hash() { return GOBAN_INTERFACE; }
]])
  target_sources(goban PRIVATE ${PROJECT_BINARY_DIR}/interface.cpp)
  set_source_files_properties(${PROJECT_BINARY_DIR}/interface.cpp PROPERTIES
    INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/generated SKIP_UNITY_BUILD_INCLUSION ON)
  add_dependencies(goban goban_interface)
  return()
endif()

file(GLOB_RECURSE headers ${SOURCE_DIR}/src/goban/*.hpp)
set(hashes "")
foreach(header IN LISTS headers)
  file(SHA256 ${header} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#define GOBAN_INTERFACE \"@hash@\"\n")
