# The libraries goban stands on; scripts/packages.txt names their Debian packages.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PNG REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(TOMLPLUSPLUS_INCLUDE_DIR XXHASH_INCLUDE_DIR)

set(GOBAN_HAVE_HDF5 OFF)
if(GOBAN_HDF5)
  find_package(HDF5 QUIET COMPONENTS C HL)
  if(HDF5_FOUND AND NOT HDF5_IS_PARALLEL)
    set(GOBAN_HAVE_HDF5 ON)
  else()
    message(WARNING "no serial HDF5: VTKHDF output is left out (GOBAN_HDF5=OFF says so silently)")
  endif()
endif()

set(GOBAN_HAVE_CAIRO OFF)
if(GOBAN_CAIRO)
  find_path(CAIRO_INCLUDE_DIR cairo.h PATH_SUFFIXES cairo)
  find_library(CAIRO_LIBRARY cairo)
  mark_as_advanced(CAIRO_INCLUDE_DIR CAIRO_LIBRARY)
  if(CAIRO_INCLUDE_DIR AND CAIRO_LIBRARY)
    set(GOBAN_HAVE_CAIRO ON)
  else()
    message(WARNING "no cairo: pictures are refused (GOBAN_CAIRO=OFF says so silently)")
  endif()
endif()

# Headers of CLI11, toml++ and xxHash are used inside the library only: an installed goban needs
# none of them.
function(goban_link_dependencies target)
  target_link_libraries(${target}
    PUBLIC fmt::fmt nlohmann_json::nlohmann_json Threads::Threads ${CMAKE_DL_LIBS}
    PRIVATE PNG::PNG $<$<BOOL:${GOBAN_HAVE_HDF5}>:hdf5::hdf5>
            $<$<BOOL:${GOBAN_HAVE_HDF5}>:hdf5::hdf5_hl>
            $<$<BOOL:${GOBAN_HAVE_CAIRO}>:$<BUILD_INTERFACE:${CAIRO_LIBRARY}>>)
  target_include_directories(${target} SYSTEM PRIVATE
    $<TARGET_PROPERTY:CLI11::CLI11,INTERFACE_INCLUDE_DIRECTORIES>
    ${TOMLPLUSPLUS_INCLUDE_DIR} ${XXHASH_INCLUDE_DIR})
endfunction()
