# The texts of kernels for GPUs, which are compiled at run time, as a source of the module: see
# goban/backend/cuda/compiled/kernel_texts.hpp. Included by the build; as a script it writes that source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  file(GLOB kernel_files CONFIGURE_DEPENDS src/goban/backend/cuda/kernels/*.cuh
       src/goban/stencil/mathematics/*.hpp)  # which CPUs compute with, too
  set(kernel_texts_source ${PROJECT_BINARY_DIR}/generated/kernel_texts.cpp)
  add_custom_command(OUTPUT ${kernel_texts_source} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${kernel_texts_source} "-DFILES=${kernel_files}"
            -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${kernel_files} ${CMAKE_CURRENT_LIST_FILE}
    COMMENT "Reading the texts of kernels")
  return()
endif()

set(texts "")
foreach(file IN LISTS FILES)
  cmake_path(GET file FILENAME name)
  if(file MATCHES "/src/(goban/stencil/.*)")
    set(name ${CMAKE_MATCH_1})
  endif()
  file(READ ${file} text)
  string(APPEND texts "    {\"${name}\", R\"goban(${text})goban\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"goban/backend/cuda/compiled/kernel_texts.hpp\"

namespace goban::cuda {

std::span<const KernelText> kernel_texts() {
  static const std::vector<KernelText> texts = {
${texts}  };
  return texts;
}

}  // namespace goban::cuda
")
