# The texts of kernels, which are compiled at run time, as sources: kernel_texts() of a namespace, see
# goban/backend/cpu/compiled/kernel_texts.hpp. Included by the build; as a script it writes such a source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  # Sets kernel_texts_source; the headers are those of the target's own and what all targets share.
  macro(goban_kernel_texts target)
    file(GLOB kernel_files CONFIGURE_DEPENDS ${ARGN} src/goban/backend/kernels/*.hpp
         src/goban/stencil/mathematics/*.hpp)
    list(FILTER kernel_files EXCLUDE REGEX "/mathematics/packs\\.hpp$")
    set(kernel_texts_source ${PROJECT_BINARY_DIR}/generated/${target}_kernel_texts.cpp)
    add_custom_command(OUTPUT ${kernel_texts_source} VERBATIM
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${kernel_texts_source} -DTARGET=${target} "-DFILES=${kernel_files}"
              -P ${PROJECT_SOURCE_DIR}/cmake/kernel_texts.cmake
      DEPENDS ${kernel_files} ${PROJECT_SOURCE_DIR}/cmake/kernel_texts.cmake
      COMMENT "Reading the texts of kernels")
  endmacro()
  return()
endif()

set(texts "")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  if(file MATCHES "/src/(goban/(stencil|backend/kernels)/.*)")
    set(name ${CMAKE_MATCH_1})
  endif()
  file(READ ${file} text)
  string(APPEND texts "    {\"${name}\", R\"goban(${text})goban\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"goban/backend/${TARGET}/compiled/kernel_texts.hpp\"

#include <vector>

namespace goban::${TARGET} {

std::span<const KernelText> kernel_texts() {
  static const auto* const texts = new std::vector<KernelText>{  // used while programs end
${texts}  };
  return *texts;
}

}  // namespace goban::${TARGET}
")
