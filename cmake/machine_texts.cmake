# The machine files that come with goban, as a source of the library: see
# goban/performance/machine/machine_file.hpp. Included by the build; as a script it writes that
# source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB machine_files CONFIGURE_DEPENDS machines/*.toml)
  set(machine_texts_source ${PROJECT_BINARY_DIR}/machine_texts.cpp)
  add_custom_command(OUTPUT ${machine_texts_source} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${machine_texts_source} "-DFILES=${machine_files}"
            -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${machine_files} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Reading machine files")
  return()
endif()

set(texts "")
foreach(file IN LISTS FILES)
  cmake_path(GET file STEM name)
  file(READ ${file} text)
  string(APPEND texts "    {\"${name}\", R\"goban(${text})goban\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"goban/performance/machine/machine_file.hpp\"

namespace goban {

std::span<const MachineText> shipped_machines() {
  static const std::vector<MachineText> texts = {
${texts}  };
  return texts;
}

}  // namespace goban
")
