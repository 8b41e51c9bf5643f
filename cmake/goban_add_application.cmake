# goban_add_application(<name> <source>...)
#   An executable <name> with the goban command line (run, describe, view, ...) whose application is
#   the one the sources define: `const goban::Application& goban::<name>_application()`.
# goban_write_applications(<file> LINKED|LOADED <name>...)
#   Writes the source file that lists those applications to the command line: parts of the program,
#   or modules that are loaded when a case names them.

set(GOBAN_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})

function(goban_write_applications file how)
  set(declarations "")
  set(entries "")
  foreach(name IN LISTS ARGN)
    if(how STREQUAL "LINKED")
      string(APPEND declarations "const Application& ${name}_application();\n")
      set(get "${name}_application, {}")
    else()
      file(STRINGS ${PROJECT_SOURCE_DIR}/apps/${name}/README.md title LIMIT_COUNT 1)
      string(REGEX REPLACE "^# [^:]*: " "" title "${title}")
      set(get "[]() -> const Application& { return load_application(\"${name}\"); }, \"${title}\"")
    endif()
    string(APPEND entries "      {\"${name}\", ${get}},\n")
  endforeach()
  configure_file(${GOBAN_CMAKE_DIR}/applications.cpp.in ${file} @ONLY)
endfunction()

function(goban_add_application name)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}_applications.cpp)
  goban_write_applications(${list} LINKED ${name})
  add_executable(${name} ${ARGN} ${list} ${GOBAN_CLI_ROOT}/cli/main.cpp)
  target_include_directories(${name} PRIVATE ${GOBAN_CLI_ROOT})
  target_link_libraries(${name} PRIVATE goban::cli goban::goban)
endfunction()
