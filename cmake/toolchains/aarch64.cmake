# Toolchain for aarch64 Linux: Debian's cross compiler, the sysroot that debian_sysroot.sh unpacks, and qemu for tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(ORTOOL_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-sysroot" CACHE PATH "Root folder of arm64 Debian")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ORTOOL_SYSROOT)
get_filename_component(CMAKE_SYSROOT "${ORTOOL_SYSROOT}" ABSOLUTE)
if(NOT EXISTS "${CMAKE_SYSROOT}/usr/include/aarch64-linux-gnu")
  message(FATAL_ERROR "${CMAKE_SYSROOT} is no root of arm64 Debian: run apps/install_packages.sh --aarch64")
endif()
set(CMAKE_FIND_ROOT_PATH "${CMAKE_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The sysroot's libraries need others of it, which the linker finds only in folders that it is told.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu:${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")

# Tests run on the processor named by ORTOOL_QEMU_CPU in their environment, "max" without it.
if(EXISTS /usr/bin/qemu-aarch64-static OR EXISTS /usr/bin/qemu-aarch64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CMAKE_CURRENT_LIST_DIR}/run_aarch64.sh;${CMAKE_SYSROOT}")
endif()
