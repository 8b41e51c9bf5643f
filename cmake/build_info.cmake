# The source behind goban/base/build_info.hpp, refreshed by every build because the commit moves.
set(features "")
if(GOBAN_HAVE_HDF5)
  list(APPEND features "\"hdf5\"")
endif()
if(GOBAN_HAVE_CAIRO)
  list(APPEND features "\"cairo\"")
endif()
if(GOBAN_HAVE_LIVE)
  list(APPEND features "\"live\"")
endif()
if(GOBAN_CUDA)
  list(APPEND features "\"cuda\"")
endif()
if(GOBAN_DEBUG)
  list(APPEND features "\"debug\"")
endif()
list(JOIN features ", " features)

set(build_info_source ${PROJECT_BINARY_DIR}/build_info.cpp)
add_custom_target(goban_build_info BYPRODUCTS ${build_info_source} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${build_info_source}
          -DVERSION=${PROJECT_VERSION} -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
          "-DFEATURES=${features}" -P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake
  COMMENT "Reading the commit")
target_sources(goban PRIVATE ${build_info_source})
add_dependencies(goban goban_build_info)
