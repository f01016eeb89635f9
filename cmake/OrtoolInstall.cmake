# Install rules: ortool_install(EXPORT_SET LIBDIR) installs the program, the libraries and what building against them
# needs, as the components program, libraries, development and xnnpack. The prefix that results can be moved.
include(CMakePackageConfigHelpers)

# The program writes its completion scripts and manual pages, so that they match its options.
function(ortool_install_written file folder name)
  list(JOIN ARGN " " arguments)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:ortool_program>\" ${arguments}
    OUTPUT_FILE \"${file}\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(FILES "${file}" DESTINATION "${folder}" RENAME "${name}" COMPONENT program)
endfunction()

function(ortool_install_pkg_config module libdir)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${libdir}/pkgconfig"
    OUTPUT_VARIABLE prefix_from_file)
  set(includedir "${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file("${CMAKE_SOURCE_DIR}/cmake/${module}.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/generated/${module}.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/generated/${module}.pc" DESTINATION "${libdir}/pkgconfig"
    COMPONENT development)
endfunction()

function(ortool_install export_set libdir)
  set(package_folder "${libdir}/cmake/ortool")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  install(TARGETS ortool EXPORT ${export_set}
    LIBRARY DESTINATION "${libdir}" COMPONENT libraries NAMELINK_COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool")
  install(TARGETS ortool_c ortool_custom_ops ortool_provider_module EXPORT ${export_set}
    LIBRARY DESTINATION "${libdir}" COMPONENT libraries NAMELINK_COMPONENT development
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(FILES "${CMAKE_SOURCE_DIR}/apps/c/ortool/ortool.h" "${CMAKE_SOURCE_DIR}/apps/c/ortool/ortool.hpp"
    "${CMAKE_SOURCE_DIR}/providers/cpu/custom/ortool/custom_ops.h"
    "${CMAKE_SOURCE_DIR}/providers/modules/ortool/provider_module.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool"
    COMPONENT development)
  # Modules that link a vendor's library are components of their own.
  if(TARGET ortool_cuda)
    install(TARGETS ortool_cuda LIBRARY DESTINATION "${libdir}/ortool/providers" COMPONENT libraries)
  endif()
  install(TARGETS ortool_openvino LIBRARY DESTINATION "${libdir}/ortool/providers" COMPONENT libraries)
  if(TARGET ortool_xnnpack)
    install(TARGETS ortool_xnnpack LIBRARY DESTINATION "${libdir}/ortool/providers" COMPONENT xnnpack)
  endif()
  install(TARGETS ortool_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)

  # Headers include each other relative to the root of the tree, so they keep their folders below include/ortool.
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/libcore" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool"
    COMPONENT development FILES_MATCHING PATTERN "*.hpp")
  install(FILES "${CMAKE_SOURCE_DIR}/providers/provider_list.hpp"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ortool/providers" COMPONENT development)

  foreach(script IN ITEMS bash:bash-completion/completions/ortool zsh:zsh/site-functions/_ortool
      fish:fish/vendor_completions.d/ortool.fish)
    string(REGEX MATCH "^([a-z]+):(.+)/([^/]+)$" matched "${script}")
    ortool_install_written("${generated}/completion.${CMAKE_MATCH_1}" "${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2}"
      "${CMAKE_MATCH_3}" completion ${CMAKE_MATCH_1})
  endforeach()
  # ortool(1), and a page for each command.
  foreach(command IN ITEMS "" run inspect optimize quantize bench merge providers schema completion)
    string(REGEX REPLACE "-$" "" page "ortool-${command}")
    ortool_install_written("${generated}/${page}.1" "${CMAKE_INSTALL_MANDIR}/man1" "${page}.1" help ${command} --man)
  endforeach()

  install(EXPORT ${export_set} FILE ortoolTargets.cmake NAMESPACE ortool:: DESTINATION "${package_folder}"
    COMPONENT development)
  configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/ortoolConfig.cmake.in" "${generated}/ortoolConfig.cmake"
    INSTALL_DESTINATION "${package_folder}")
  write_basic_package_version_file("${generated}/ortoolConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES "${generated}/ortoolConfig.cmake" "${generated}/ortoolConfigVersion.cmake"
    DESTINATION "${package_folder}" COMPONENT development)
  ortool_install_pkg_config(ortool "${libdir}")
  ortool_install_pkg_config(ortool_c "${libdir}")
endfunction()
