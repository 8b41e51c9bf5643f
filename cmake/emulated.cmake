# Emulated devices, a module that is loaded once one is wanted: tests and experiments have it, packages do not.
file(GLOB emulated_sources CONFIGURE_DEPENDS tests/emulated/*.cpp)
add_library(goban_emulated MODULE EXCLUDE_FROM_ALL ${emulated_sources})
set_target_properties(goban_emulated PROPERTIES OUTPUT_NAME goban-emulated UNITY_BUILD ON
  LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder})
add_dependencies(goban_emulated goban_interface)
target_include_directories(goban_emulated PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(goban_emulated PRIVATE goban)
target_compile_options(goban_emulated PRIVATE $<$<CONFIG:Release>:-O1>)
