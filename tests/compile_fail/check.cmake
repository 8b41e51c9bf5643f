# Script mode: compiles SOURCE (syntax only). <name>.ok.cpp has to compile; any other file has to
# fail with the text after "// expect:" in its first line.
set(command ${CMAKE_COMMAND} -E env LC_ALL=C ${COMPILER} -std=c++20 -fsyntax-only -fdiagnostics-color=never ${OPTIONS})
foreach(folder IN LISTS INCLUDES)
  list(APPEND command -I${folder})
endforeach()
execute_process(COMMAND ${command} ${SOURCE} RESULT_VARIABLE result ERROR_VARIABLE output)

if(SOURCE MATCHES "\\.ok\\.cpp$")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${SOURCE} does not compile:\n${output}")
  endif()
  return()
endif()

file(STRINGS ${SOURCE} first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// expect: *(.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line has to be // expect: <text of the error>")
endif()
string(REPLACE "\\;" ";" expected "${CMAKE_MATCH_1}")  # file(STRINGS) escapes semicolons
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiles, but has to fail with: ${expected}")
endif()
string(FIND "${output}" "${expected}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "${SOURCE}: no \"${expected}\" in the errors:\n${output}")
endif()
