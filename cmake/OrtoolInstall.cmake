# A relocatable install prefix: bin/ortool, lib/libortool.so, lib/libortool_c.so, headers, and the package files for find_package(ortool).
include(CMakePackageConfigHelpers)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/ortool")

install(TARGETS ortool EXPORT ortoolTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool")
install(TARGETS ortool_c ortool_custom_ops EXPORT ortoolTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${CMAKE_SOURCE_DIR}/apps/c/ortool/ortool.h" "${CMAKE_SOURCE_DIR}/apps/c/ortool/ortool.hpp"
  "${CMAKE_SOURCE_DIR}/providers/cpu/custom/ortool/custom_ops.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool")
install(TARGETS ortool_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# Headers include each other relative to the root of the tree, so they keep their folders below include/ortool.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/libcore" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool"
  FILES_MATCHING PATTERN "*.hpp")
install(FILES "${CMAKE_SOURCE_DIR}/providers/provider_list.hpp"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool/providers")

# The program generates its completion scripts, so that they match its options.
function(ortool_install_completion shell folder file)
  set(script "${CMAKE_BINARY_DIR}/generated/completion.${shell}")
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:ortool_program>\" completion ${shell}
    OUTPUT_FILE \"${script}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${script}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" RENAME "${file}")
endfunction()
ortool_install_completion(bash bash-completion/completions ortool)
ortool_install_completion(zsh zsh/site-functions _ortool)
ortool_install_completion(fish fish/vendor_completions.d ortool.fish)

# It also generates the manual pages: ortool(1), and one for each command.
foreach(command IN ITEMS "" run inspect optimize quantize bench merge providers schema completion)
  string(REGEX REPLACE "-$" "" page "ortool-${command}")
  set(file "${CMAKE_BINARY_DIR}/generated/${page}.1")
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:ortool_program>\" help ${command} --man
    OUTPUT_FILE \"${file}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endforeach()

install(EXPORT ortoolTargets NAMESPACE ortool:: DESTINATION "${package_folder}")
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/ortoolConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/generated/ortoolConfig.cmake" INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/generated/ortoolConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/generated/ortoolConfig.cmake"
  "${CMAKE_BINARY_DIR}/generated/ortoolConfigVersion.cmake" DESTINATION "${package_folder}")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/ortool")
