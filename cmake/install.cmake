# Installation, the CMake package, the pkg-config file and binary packages.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/goban)
set(share_dir ${CMAKE_INSTALL_DATADIR}/goban)

# ./goban run builds what its case needs; what is installed is built before the first file is.
set(installed_targets goban goban_solver goban_cli goban-cli)
foreach(mpi IN LISTS goban_mpis)
  list(APPEND installed_targets goban_mpi_${mpi})
endforeach()
if(TARGET goban_python)
  list(APPEND installed_targets goban_python)
endif()
add_custom_target(goban_installed)
add_dependencies(goban_installed ${installed_targets})
install(CODE "
  execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" --target goban_installed
                  RESULT_VARIABLE failure)
  if(failure)
    message(FATAL_ERROR \"goban cannot be installed (it cannot be built); see above\")
  endif()")

install(TARGETS goban goban_solver goban_whole goban_cli EXPORT gobanTargets FILE_SET HEADERS)
install(TARGETS goban-cli)
set(module_destination ${CMAKE_INSTALL_LIBDIR}/goban)
# Those that have been built.
install(TARGETS ${app_targets} LIBRARY DESTINATION ${module_destination} OPTIONAL)
if(GOBAN_CUDA)
  install(TARGETS goban_cuda LIBRARY DESTINATION ${module_destination} OPTIONAL)
endif()
foreach(mpi IN LISTS goban_mpis)
  install(TARGETS goban_mpi_${mpi} LIBRARY DESTINATION ${module_destination})
endforeach()
if(TARGET goban_python)
  install(TARGETS goban_python LIBRARY DESTINATION ${module_destination})
  install(FILES ${python_files} DESTINATION ${module_destination}/python/goban)
endif()
install(FILES cli/main.cpp cli/command_line.hpp DESTINATION ${share_dir}/cli)
install(EXPORT gobanTargets NAMESPACE goban:: DESTINATION ${package_dir})

configure_package_config_file(cmake/gobanConfig.cmake.in ${PROJECT_BINARY_DIR}/gobanConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS share_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gobanConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gobanConfig.cmake ${PROJECT_BINARY_DIR}/gobanConfigVersion.cmake
              cmake/goban_add_application.cmake cmake/applications.cpp.in
        DESTINATION ${package_dir})

set(pc_requires "fmt libpng")
if(GOBAN_HAVE_HDF5)
  string(APPEND pc_requires " hdf5")
endif()
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/goban.pc.in ${PROJECT_BINARY_DIR}/goban.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/goban.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_CONTACT "The goban developers")
set(CPACK_PACKAGE_VENDOR "The goban developers")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
find_program(SHLIBDEPS_PROGRAM dpkg-shlibdeps)
mark_as_advanced(SHLIBDEPS_PROGRAM)
if(SHLIBDEPS_PROGRAM)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "g++, cmake, libfmt-dev, nlohmann-json3-dev, libpng-dev, libhdf5-dev")
if(TARGET goban_python)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", python3-numpy")
endif()
include(CPack)
