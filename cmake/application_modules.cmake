# Applications: every folder apps/<app> with sources defines <app>_application() and becomes a module,
# which goban loads when a case names it. Each source of apps/<app>/parts is a module, too, which the
# application loads where a case needs it (load_part); the two find each other's functions when they
# call them. Tests and benchmarks link all of them.
function(goban_add_module target name)
  add_library(${target} SHARED ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} DEFINE_SYMBOL ""
    LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder} INSTALL_RPATH $ORIGIN/..)
  add_dependencies(${target} goban_interface)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_include_directories(${target} PUBLIC apps)
  target_link_libraries(${target} PUBLIC goban)
  target_link_options(${target} PRIVATE LINKER:-z,lazy)
  if(target STREQUAL app_graph500)  # which computes by itself
    target_precompile_headers(${target} REUSE_FROM goban)
  else()
    target_precompile_headers(${target} REUSE_FROM goban_plain)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

set(goban_applications)
set(app_targets)
set(part_module ${PROJECT_BINARY_DIR}/generated/part_module.cpp)
file(CONFIGURE OUTPUT ${part_module} @ONLY CONTENT [[
#include "goban_interface.hpp"
extern "C" {
extern const char* const goban_interface_of_part;
const char* const goban_interface_of_part = GOBAN_INTERFACE;
}
]])
file(GLOB app_folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/apps apps/*)
foreach(app IN LISTS app_folders)
  file(GLOB sources CONFIGURE_DEPENDS apps/${app}/*.cpp)
  if(NOT sources)
    continue()
  endif()
  set(module ${PROJECT_BINARY_DIR}/generated/${app}_module.cpp)
  configure_file(cmake/application_module.cpp.in ${module} @ONLY)
  goban_add_module(app_${app} goban-app-${app} ${module} ${sources})
  list(APPEND goban_applications ${app})
  list(APPEND app_targets app_${app})
  file(GLOB parts CONFIGURE_DEPENDS apps/${app}/parts/*.cpp)
  foreach(source IN LISTS parts)
    cmake_path(GET source STEM part)
    goban_add_module(app_${app}-${part} goban-app-${app}-${part} ${part_module} ${source})
    target_link_libraries(app_${app} INTERFACE app_${app}-${part})
    list(APPEND app_targets app_${app}-${part})
  endforeach()
endforeach()
if(GOBAN_CUDA)
  target_link_libraries(app_graph500 PRIVATE goban_cuda)  # kernels of its own
endif()
foreach(target app_flow app_heat-steady)
  target_link_libraries(${target} PUBLIC goban_solver)
endforeach()
