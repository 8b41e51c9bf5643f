# Most of a source's time goes to the headers it includes: twelve of a folder as one take less than
# half. Names within a folder's anonymous namespaces have to differ, then.
set_target_properties(goban goban_plain goban_adjoint goban_particle PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
foreach(source IN LISTS goban_sources plain_sources cuda_sources adjoint_sources particle_sources)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src/goban)
  string(MAKE_C_IDENTIFIER "${folder}" folder)
  math(EXPR batch "0${${folder}_files} / 12")
  math(EXPR ${folder}_files "0${${folder}_files} + 1")
  set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
endforeach()
