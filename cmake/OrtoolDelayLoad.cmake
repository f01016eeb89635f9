# Delay-loaded libraries: their functions are called through stubs, which load the library at the first call.
# GNU ld has nothing of the kind, so a script writes the stubs (delay_load_stubs.cmake).

# ortool_delay_load(TARGET OBJECTS layer... LIBRARIES name...): makes stubs in TARGET for those functions of the shared
# libraries that the object libraries call, so that the linker, told to leave out what is not needed, leaves them out. The
# module libTARGET_delayed.so needs them instead. It is not installed: packaging learns from it what TARGET depends on.
function(ortool_delay_load target)
  cmake_parse_arguments(ARG "" "" "OBJECTS;LIBRARIES" ${ARGN})
  set(paths "")
  foreach(name IN LISTS ARG_LIBRARIES)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" "--sysroot=${CMAKE_SYSROOT}" -print-file-name=lib${name}.so OUTPUT_VARIABLE path
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(IS_ABSOLUTE path is_found)
    if(NOT is_found)
      message(FATAL_ERROR "lib${name}.so was not found: run apps/install_packages.sh")
    endif()
    list(APPEND paths "${path}")
  endforeach()
  set(objects "")
  foreach(layer IN LISTS ARG_OBJECTS)
    list(APPEND objects "$<TARGET_OBJECTS:${layer}>")
  endforeach()
  set(generated "${CMAKE_BINARY_DIR}/generated")
  set(script "${CMAKE_SOURCE_DIR}/cmake/delay_load_stubs.cmake")
  # Lists of one path a line: too long for a command line on some systems.
  file(GENERATE OUTPUT "${generated}/${target}_delay_load_objects.txt" CONTENT "$<JOIN:${objects},\n>\n")
  list(JOIN paths "\n" lines)
  file(CONFIGURE OUTPUT "${generated}/${target}_delay_load_libraries.txt" CONTENT "${lines}\n" @ONLY)
  add_custom_command(OUTPUT "${generated}/${target}_delay_load.cpp" "${generated}/${target}_delayed.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DOBJECTS=${generated}/${target}_delay_load_objects.txt" "-DLIBRARIES=${generated}/${target}_delay_load_libraries.txt"
      "-DNM=${CMAKE_NM}" "-DOBJDUMP=${CMAKE_OBJDUMP}" "-DSTUBS=${generated}/${target}_delay_load.cpp"
      "-DREFERENCES=${generated}/${target}_delayed.cpp" -P "${script}"
    DEPENDS "${objects}" "${script}" "${generated}/${target}_delay_load_libraries.txt" VERBATIM COMMAND_EXPAND_LISTS)
  target_sources(${target} PRIVATE "${generated}/${target}_delay_load.cpp")
  add_library(${target}_delayed MODULE "${generated}/${target}_delayed.cpp")
  target_link_libraries(${target}_delayed PRIVATE ${paths})
endfunction()
