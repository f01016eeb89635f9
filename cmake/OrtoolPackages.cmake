# Packages, which cpack makes from a finished build: Debian's, and an archive for other distributions.
if(ORTOOL_SANITIZE OR ORTOOL_COVERAGE OR ORTOOL_FUZZ)
  return()
endif()
set(ORTOOL_PACKAGE_MAINTAINER "ortool maintainers <maintainers@ortool.invalid>" CACHE STRING
  "Name and address in the packages")
# Its install rules are for packages only: a subdirectory that is left out of "all" is left out of "install" too.
add_subdirectory(cmake/packages EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR External)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_PACKAGE_CONTACT "${ORTOOL_PACKAGE_MAINTAINER}")
set(CPACK_EXTERNAL_PACKAGE_SCRIPT "${CMAKE_SOURCE_DIR}/cmake/packages/RunMakePackages.cmake")
# cpack hands variables of this prefix to the script.
set(CPACK_ORTOOL_SOURCE "${CMAKE_SOURCE_DIR}")
set(CPACK_ORTOOL_BUILD "${CMAKE_BINARY_DIR}")
set(CPACK_ORTOOL_PYTHON "${ORTOOL_SYSTEM_PYTHON}")
include(CPack)
