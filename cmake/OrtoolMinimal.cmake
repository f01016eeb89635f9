# The minimal profile: one program that runs and inspects models of chosen operators, without libortool.so.
# A script chooses the files that the operators need (minimal/choose_sources.py); the linker drops what is left unused.
set(ORTOOL_OPERATORS "" CACHE FILEPATH "The minimal profile's operators: a file that `ortool inspect --operators` writes")
if(NOT EXISTS "${ORTOOL_OPERATORS}")
  message(FATAL_ERROR "ORTOOL_PROFILE=minimal requires -DORTOOL_OPERATORS=FILE, with one operator a line; "
    "`ortool inspect --operators MODEL.onnx` writes it (given: '${ORTOOL_OPERATORS}')")
endif()
set(ORTOOL_MOST_ISA "" CACHE STRING "The minimal profile's best level of instruction sets, such as avx2; empty: all")
set(ORTOOL_LEFT_OUT_SETS "")
if(ORTOOL_MOST_ISA)
  set(ORTOOL_LEFT_OUT_SETS_i8mm "")
  set(ORTOOL_LEFT_OUT_SETS_dotprod i8mm)
  set(ORTOOL_LEFT_OUT_SETS_amx "")
  set(ORTOOL_LEFT_OUT_SETS_avx512 amx amxbf16)
  set(ORTOOL_LEFT_OUT_SETS_avx2 avx512 vnni vbmi bf16 ${ORTOOL_LEFT_OUT_SETS_avx512})
  set(ORTOOL_LEFT_OUT_SETS_baseline avx2 ${ORTOOL_LEFT_OUT_SETS_avx2} dotprod i8mm)
  set(levels baseline avx2 avx512 amx)
  if("i8mm" IN_LIST ORTOOL_INSTRUCTION_SETS)
    set(levels baseline dotprod i8mm)
  endif()
  if(NOT ORTOOL_MOST_ISA IN_LIST levels)
    message(FATAL_ERROR "ORTOOL_MOST_ISA is '${ORTOOL_MOST_ISA}' (expected one of: ${levels})")
  endif()
  set(ORTOOL_LEFT_OUT_SETS ${ORTOOL_LEFT_OUT_SETS_${ORTOOL_MOST_ISA}})
  set_source_files_properties("${CMAKE_SOURCE_DIR}/kernels/cpu/isa/cpu_features.cpp" PROPERTIES
    COMPILE_DEFINITIONS ORTOOL_MOST_ISA=${ORTOOL_MOST_ISA})
endif()
cmake_path(ABSOLUTE_PATH ORTOOL_OPERATORS BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE operators)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

set(folder "${CMAKE_BINARY_DIR}/minimal")
execute_process(COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/cmake/minimal/choose_sources.py"
  "${CMAKE_SOURCE_DIR}" "${operators}" "${folder}" RESULT_VARIABLE result ERROR_VARIABLE message)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${message}")
endif()
# Any of them may include another header, or be new.
file(GLOB_RECURSE every_source CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/libcore/*.[ch]pp"
  "${CMAKE_SOURCE_DIR}/kernels/*.[ch]pp" "${CMAKE_SOURCE_DIR}/providers/*.[ch]pp"
  "${CMAKE_SOURCE_DIR}/apps/ortool/*.[ch]pp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${operators}" ${every_source}
  "${CMAKE_SOURCE_DIR}/cmake/minimal/choose_sources.py")
file(STRINGS "${folder}/sources.txt" sources)
list(FILTER sources EXCLUDE REGEX "${ORTOOL_FOREIGN_FILES}")
file(STRINGS "${folder}/kernel_headers.txt" kernel_headers)
ortool_isa_kernels(kernel_sources kernels/cpu ${kernel_headers})
set(reproducible ${kernel_sources})
list(FILTER reproducible INCLUDE REGEX "recurrent_reproducible")
set_source_files_properties(${reproducible} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set(kernels ${sources})
list(FILTER kernels INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/kernels/")
list(REMOVE_ITEM sources ${kernels})
list(APPEND kernels ${kernel_sources})
list(APPEND sources "${CMAKE_BINARY_DIR}/generated/version.cpp")

add_executable(ortool_program)
set_target_properties(ortool_program PROPERTIES OUTPUT_NAME ortool)
target_link_libraries(ortool_program PRIVATE ortool_options fmt::fmt-header-only spdlog::spdlog_header_only PNG::PNG JPEG::JPEG TIFF::TIFF
  GIF::GIF PkgConfig::libwebp PkgConfig::libopenjp2 PkgConfig::sndfile ZLIB::ZLIB PkgConfig::libzip PkgConfig::re2
  sentencepiece::sentencepiece OpenSSL::Crypto Threads::Threads ${CMAKE_DL_LIBS})
ortool_order_functions(ortool_program)
target_link_options(ortool_program PRIVATE LINKER:--gc-sections ${ORTOOL_PACKED_RELOCATIONS} LINKER:-O1)
# All but kernels is optimized as a whole, so that what one function alone calls becomes part of it. Kernels are not: code
# of an instruction set must not move into functions that run without it. Nor is what assembly names.
set(whole_program "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT ORTOOL_SANITIZE)
  set(whole_program -flto -fno-fat-lto-objects)
  target_link_options(ortool_program PRIVATE -flto=auto -flto-partition=one -Os -ffunction-sections)
  set_source_files_properties("${CMAKE_SOURCE_DIR}/libcore/base/delay_loading.cpp" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -fno-lto)
endif()

# ortool_minimal_objects(NAME OPTIONS option... SOURCES file...): object libraries, one for each instruction set in the
# names of the files, for the program. What any processor can run is optimized with the whole program.
function(ortool_minimal_objects name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;SOURCES" ${ARGN})
  foreach(set IN LISTS ORTOOL_INSTRUCTION_SETS ITEMS baseline "")
    set(library ${name})
    set(files ${ARG_SOURCES})
    set(options ${ORTOOL_OPTIONS_${set}})
    if(set STREQUAL "" OR set STREQUAL "baseline")
      list(APPEND options ${whole_program})
    endif()
    if(set)
      set(library ${name}_${set})
      list(FILTER files INCLUDE REGEX "_${set}\\.cpp$")
      list(FILTER ARG_SOURCES EXCLUDE REGEX "_${set}\\.cpp$")
    endif()
    if(NOT files)
      continue()
    endif()
    add_library(${library} OBJECT ${files})
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_definitions(${library} PRIVATE ORTOOL_MINIMAL)
    # Its headers take the place of those of the source tree.
    target_include_directories(${library} BEFORE PRIVATE "${CMAKE_BINARY_DIR}/minimal")
    target_compile_options(${library} PRIVATE ${ORTOOL_PREFIX_MAPS} -fPIE -ffunction-sections -fdata-sections
      ${ARG_OPTIONS} ${options})
    target_link_libraries(${library} PRIVATE ortool_options fmt::fmt-header-only spdlog::spdlog_header_only nlohmann_json::nlohmann_json
      CLI11::CLI11 PNG::PNG JPEG::JPEG TIFF::TIFF GIF::GIF PkgConfig::libwebp PkgConfig::libopenjp2 PkgConfig::sndfile
      ZLIB::ZLIB PkgConfig::libzip PkgConfig::re2 sentencepiece::sentencepiece OpenSSL::Crypto)
    ortool_unity_build(${library} 16)
    target_sources(ortool_program PRIVATE $<TARGET_OBJECTS:${library}>)
  endforeach()
endfunction()
ortool_minimal_objects(ortool_minimal OPTIONS -Os ${ORTOOL_COMPACT_OPTIONS} SOURCES ${sources})
# Kernels of instruction sets call nothing that throws. Of the others, convolutions, products and those of the baseline do
# most of the arithmetic.
foreach(set IN LISTS ORTOOL_INSTRUCTION_SETS)
  list(APPEND ORTOOL_OPTIONS_${set} -fno-exceptions -fno-asynchronous-unwind-tables)
endforeach()
set(ORTOOL_OPTIONS_baseline -O3)
set(kernel_options -O2 $<$<CXX_COMPILER_ID:GNU>:-fvect-cost-model=dynamic>)
set(products ${kernels})
list(FILTER products INCLUDE REGEX "/kernels/cpu/(conv|gemm)/")
list(REMOVE_ITEM kernels ${products})
ortool_minimal_objects(ortool_minimal_products OPTIONS -O3 SOURCES ${products})
ortool_minimal_objects(ortool_minimal_kernels OPTIONS ${kernel_options} SOURCES ${kernels})

# A device need not have the libraries of images, sounds and archives, which are loaded when a file needs them.
ortool_delay_load(ortool_program OBJECTS ortool_minimal
  LIBRARIES png jpeg tiff gif webp webpdemux openjp2 sndfile zip re2 sentencepiece crypto)
install(TARGETS ortool_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
