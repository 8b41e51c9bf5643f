# GPUs: enables the language CUDA and sets GOBAN_HAVE_CUDA where the toolkit is there. Included by
# goban's own build and by installed packages that were built with it.
set(GOBAN_HAVE_CUDA OFF)
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities, as 80;90")
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
    message(WARNING "CUDA ${CMAKE_CUDA_COMPILER_VERSION} has no C++20: goban is built without GPUs "
                    "(GOBAN_CUDA=OFF says so silently)")
    return()
  endif()
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc can
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  find_package(CUDAToolkit REQUIRED)
  set(GOBAN_HAVE_CUDA ON)
endif()
