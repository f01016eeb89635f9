# Finds what the cuda provider is built with: nvcc, and the headers of CUDA, cuBLASLt and cuDNN 9. Their libraries are
# opened at run time. ORTOOL_NVCC is empty if something is missing.
option(ORTOOL_CUDA "Build the cuda provider's kernels if nvcc is found" ON)
set(ORTOOL_CUDA_ARCHITECTURES "80;90" CACHE STRING "Compute capabilities with machine code; later ones get PTX of the last")
set(ORTOOL_NVCC "")
if(ORTOOL_CUDA)
  find_program(ORTOOL_NVCC_PROGRAM nvcc HINTS /usr/local/cuda/bin)
  if(ORTOOL_NVCC_PROGRAM)
    cmake_path(GET ORTOOL_NVCC_PROGRAM PARENT_PATH cuda_bin)
    cmake_path(GET cuda_bin PARENT_PATH cuda_root)
    find_path(ORTOOL_CUDA_INCLUDE cublasLt.h HINTS "${cuda_root}/include")
    find_path(ORTOOL_CUDNN_INCLUDE cudnn_version_v9.h HINTS "${cuda_root}/include")
  endif()
  if(NOT ORTOOL_NVCC_PROGRAM)
    message(STATUS "cuda provider: without kernels, because nvcc was not found")
  elseif(NOT ORTOOL_CUDA_INCLUDE OR NOT ORTOOL_CUDNN_INCLUDE)
    message(STATUS "cuda provider: without kernels, because the headers of cuBLASLt or cuDNN 9 were not found")
  else()
    set(ORTOOL_NVCC "${ORTOOL_NVCC_PROGRAM}")
    message(STATUS "cuda provider: with ${ORTOOL_NVCC}, compute capabilities ${ORTOOL_CUDA_ARCHITECTURES}")
  endif()
endif()

# ortool_add_device_code(OUTPUT): compiles the kernels to a fatbin.
function(ortool_add_device_code output)
  set(targets "")
  foreach(architecture IN LISTS ORTOOL_CUDA_ARCHITECTURES)
    list(APPEND targets -gencode "arch=compute_${architecture},code=sm_${architecture}")
    set(last "${architecture}")
  endforeach()
  list(APPEND targets -gencode "arch=compute_${last},code=compute_${last}")
  file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/providers/cuda/kernels/*.hpp")
  set(source "${CMAKE_SOURCE_DIR}/providers/cuda/kernels/kernels.cu")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${ORTOOL_NVCC}" -std=c++20 -O3 -fatbin -Xfatbin=-compress-all --fmad=true "-I${CMAKE_SOURCE_DIR}"
      ${targets} "${source}" -o "${output}"
    DEPENDS "${source}" ${headers}
    COMMENT "Compiling the kernels of the cuda provider" VERBATIM)
endfunction()
