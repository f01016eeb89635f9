# Script of cpack's External generator: has make_packages.py make all packages, and tells cpack which.
execute_process(
  COMMAND "${CPACK_ORTOOL_PYTHON}" "${CPACK_ORTOOL_SOURCE}/cmake/packages/make_packages.py" "${CPACK_ORTOOL_BUILD}"
    --version "${CPACK_PACKAGE_VERSION}" --maintainer "${CPACK_PACKAGE_CONTACT}" --cmake "${CMAKE_COMMAND}"
    --scratch "${CPACK_TEMPORARY_DIRECTORY}" --output "${CPACK_TEMPORARY_DIRECTORY}/made"
  OUTPUT_VARIABLE made OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the packages were not made")
endif()
string(REPLACE "\n" ";" CPACK_EXTERNAL_BUILT_PACKAGES "${made}")
