# ortool_add_layer(NAME FOLDER [UNITY] [LIST] [LINK lib...]): one object library a layer, all .cpp files of a folder
# (LIST: not of its subfolders).
# g++ 12 takes the undefined operand of AVX-512 intrinsics for an uninitialised variable, hence the one warning less.
# Files named *_avx2.cpp, *_avx512.cpp and *_vnni_avx512.cpp get their instruction-set flags here and nowhere else.
function(ortool_add_layer name folder)
  cmake_parse_arguments(ARG "UNITY;LIST" "" "LINK" ${ARGN})
  if(ARG_LIST)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.cpp")
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(${name} OBJECT ${sources})
  target_link_libraries(${name} PRIVATE ortool_options ${ARG_LINK})
  foreach(source IN LISTS sources)
    if(source MATCHES "_avx2\\.cpp$")
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
        COMPILE_OPTIONS "-mavx2;-mfma;-mf16c;-O3")
    elseif(source MATCHES "_avx512\\.cpp$")
      set(beyond "")
      if(source MATCHES "_vnni_avx512\\.cpp$")
        set(beyond ";-mavx512vnni")
      endif()
      set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
        COMPILE_OPTIONS "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx2;-mfma;-mf16c;-mprefer-vector-width=512;-O3;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>${beyond}")
    endif()
  endforeach()
  if(ARG_UNITY AND (CMAKE_BUILD_TYPE STREQUAL "Release" OR ORTOOL_FUZZ OR ORTOOL_SANITIZE))
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  target_sources(ortool PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()
