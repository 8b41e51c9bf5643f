# The live page of a run, a module that is loaded once a page is wanted: needs cpp-httplib, which is
# one header, or a header and a library that wants OpenSSL's, zlib's and brotli's (Debian, Ubuntu).
# As a script it writes the page, one HTML file, as a source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(GOBAN_HAVE_LIVE OFF)
  if(GOBAN_LIVE)
    find_path(HTTPLIB_INCLUDE_DIR httplib.h)
    find_library(HTTPLIB_LIBRARY cpp-httplib)
    mark_as_advanced(HTTPLIB_INCLUDE_DIR HTTPLIB_LIBRARY)
    if(HTTPLIB_INCLUDE_DIR)
      set(GOBAN_HAVE_LIVE ON)
    else()
      message(WARNING "no cpp-httplib: live pages are refused (GOBAN_LIVE=OFF says so silently)")
    endif()
  endif()
  set(live_folder src/goban/simulation/live)
  if(NOT GOBAN_HAVE_LIVE)
    return()
  endif()
  file(GLOB page_files CONFIGURE_DEPENDS ${live_folder}/page/*.* ${live_folder}/page/uplot/*.*)
  set(page_source ${PROJECT_BINARY_DIR}/live_page.cpp)
  add_custom_command(OUTPUT ${page_source} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${page_source} -DPAGE=${PROJECT_SOURCE_DIR}/${live_folder}/page
            -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${page_files} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Reading the live page")
  set(live_module ${PROJECT_BINARY_DIR}/generated/live_module.cpp)
  file(CONFIGURE OUTPUT ${live_module} @ONLY CONTENT [[
#include "goban/simulation/live/http/page_server.hpp"
#include "goban_interface.hpp"
extern "C" {
extern const goban::LiveModule goban_live_module;
const goban::LiveModule goban_live_module = {GOBAN_INTERFACE, goban::serve_over_http};
}
]])
  add_library(goban_live MODULE ${live_folder}/http/page_server.cpp ${page_source} ${live_module})
  set_target_properties(goban_live PROPERTIES OUTPUT_NAME goban-live
    LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder} INSTALL_RPATH $ORIGIN/..)
  add_dependencies(goban_live goban_interface)
  target_include_directories(goban_live PRIVATE ${PROJECT_BINARY_DIR}/generated)
  target_include_directories(goban_live SYSTEM PRIVATE ${HTTPLIB_INCLUDE_DIR})
  target_link_libraries(goban_live PRIVATE goban)
  target_compile_options(goban_live PRIVATE $<$<CONFIG:Release>:-O1>)
  if(HTTPLIB_LIBRARY)
    target_link_libraries(goban_live PRIVATE ${HTTPLIB_LIBRARY})
    target_compile_definitions(goban_live PRIVATE CPPHTTPLIB_OPENSSL_SUPPORT
      CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
  endif()
  return()
endif()

foreach(part uplot/uPlot.min.css page.css uplot/uPlot.iife.min.js slice.js curves.js page.js)
  file(READ ${PAGE}/${part} text)
  string(MAKE_C_IDENTIFIER ${part} name)
  set(${name} "${text}")
endforeach()
file(READ ${PAGE}/page.html page)
string(CONFIGURE "${page}" page @ONLY)
file(WRITE ${OUTPUT} "#include \"goban/simulation/live/http/page_server.hpp\"

namespace goban {

const char* const live_page = R\"goban(${page})goban\";

}  // namespace goban
")
