# Language level, warnings, hardening and sanitizers, shared by every target through ortool_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
# Released libraries and programs have the same bits in whatever folder they are built (tests/install/reproducible.sh):
# no search path and no name of a source file starts with the folder's name. The relative one is what ccache's base_dir
# makes of it.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(ORTOOL_PREFIX_MAPS "")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  cmake_path(RELATIVE_PATH CMAKE_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE source_from_build)
  set(ORTOOL_PREFIX_MAPS "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=${source_from_build}/="
    "-ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/")
endif()
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ORTOOL_CCACHE ccache)
  if(ORTOOL_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ORTOOL_CCACHE}")
  endif()
endif()

# clang applies -Wshadow to local variables and constants of other files in a unity group, so g++ alone gets it.
add_library(ortool_options INTERFACE)
target_include_directories(ortool_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(ortool_options INTERFACE
  -Wall -Wextra -Wpedantic $<$<CXX_COMPILER_ID:GNU>:-Wshadow> -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers -ffp-contract=off -fno-math-errno)
set(ORTOOL_PACKED_RELOCATIONS LINKER:-z,pack-relative-relocs)
# Plain char is signed, as on x86-64. g++ would note each class that it passes otherwise than GCC 9 did, and Debian 12's ld
# packs relocations on x86 only, and warns elsewhere.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_compile_options(ortool_options INTERFACE -fsigned-char $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
  set(ORTOOL_PACKED_RELOCATIONS "")
endif()
if(ORTOOL_WARNINGS_AS_ERRORS)
  target_compile_options(ortool_options INTERFACE -Werror)
endif()

if(ORTOOL_SANITIZE)
  target_compile_options(ortool_options INTERFACE -fsanitize=${ORTOOL_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all
    # g++ falsely reports uninitialized variables in instrumented code.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(ortool_options INTERFACE -fsanitize=${ORTOOL_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(ortool_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
    -D_GLIBCXX_ASSERTIONS -fstack-clash-protection)
  target_link_options(ortool_options INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed)
endif()
if(ORTOOL_COVERAGE)
  target_compile_options(ortool_options INTERFACE --coverage)
  target_link_options(ortool_options INTERFACE --coverage)
endif()
include(CheckPIESupported)
check_pie_supported()
