# Tests under mpirun, for every MPI that was found and every number of ranks.
#   goban_add_mpi_test(<name> <mpi> <ranks> COMMAND <program> [ARG...])
#   goban_add_mpi_tests(<prefix> COMMAND <program> [ARG...])     <prefix>.<mpi>.<ranks>, of the second MPI for few counts
# The program's main() is that of mpi_main.cpp, or its own.

set(mpi_rank_counts 1 2 3 6)
# Ranks share cores with others, may be root's, and sanitizers know nothing of an MPI's memory.
set(mpi_environment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
    ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=ignore_noninstrumented_modules=1)
set(mpi_options_openmpi --oversubscribe --bind-to none)
set(mpi_options_mpich -bind-to none)

foreach(mpi IN LISTS goban_mpis)
  string(TOUPPER ${mpi} MPI)
  cmake_path(GET GOBAN_MPICC_${MPI} PARENT_PATH folder)
  find_program(GOBAN_MPIRUN_${MPI} NAMES mpirun.${mpi} mpirun HINTS ${folder})
  mark_as_advanced(GOBAN_MPIRUN_${MPI})
  if(NOT GOBAN_MPIRUN_${MPI})
    message(WARNING "no mpirun of ${mpi}: nothing is tested under it")
  endif()
endforeach()

function(goban_add_mpi_test name mpi ranks)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" COMMAND)
  string(TOUPPER ${mpi} MPI)
  if(NOT GOBAN_MPIRUN_${MPI})
    return()
  endif()
  add_test(NAME ${name}
           COMMAND ${GOBAN_MPIRUN_${MPI}} -n ${ranks} ${mpi_options_${mpi}} ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "mpi;slow" PROCESSORS ${ranks} TIMEOUT 120
                                          ENVIRONMENT "${mpi_environment}")
endfunction()

function(goban_add_mpi_tests prefix)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" COMMAND)
  set(counts ${mpi_rank_counts})
  foreach(mpi IN LISTS goban_mpis)
    foreach(ranks IN LISTS counts)
      goban_add_mpi_test(${prefix}.${mpi}.${ranks} ${mpi} ${ranks} COMMAND ${arg_COMMAND})
    endforeach()
    set(counts 1 3)  # the others differ in nothing that is goban's
  endforeach()
endfunction()
