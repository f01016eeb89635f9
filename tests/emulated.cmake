# Tests of a cross-compiled build, which run in an emulator (CMAKE_CROSSCOMPILING_EMULATOR): unit tests, operator and rule
# cases, conformance and whole models. The others test what the compiled bits do not change, or need a native Python.
# The environment variable ORTOOL_QEMU_CPU names the processor (cmake/toolchains/run_aarch64.sh).
if(NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "tests: none, because there is no emulator for ${CMAKE_SYSTEM_PROCESSOR} (qemu-user-static)")
  return()
endif()
set(ORTOOL_TEST_TIMEOUT 3600)
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "\" \"" emulator)
set(ORTOOL_TEST_PROGRAM "${CMAKE_BINARY_DIR}/emulated/ortool")
file(GENERATE OUTPUT "${ORTOOL_TEST_PROGRAM}" CONTENT "#!/bin/sh\nexec \"${emulator}\" \"$<TARGET_FILE:ortool_program>\" \"$@\"\n"
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# A process for each test would spend most of its time starting the emulator; one for each first letter does not. A
# pattern would select hidden tests, too.
foreach(letter IN ITEMS a b c d e f g h i j k l m n o p q r s t u v w x y z)
  add_test(NAME unit.${letter} COMMAND unit_tests "~[.]${letter}*")
  list(APPEND letters unit.${letter})
  string(APPEND others "~${letter}*")
endforeach()
add_test(NAME unit.others COMMAND unit_tests "~[.]${others}")
set_tests_properties(${letters} unit.others PROPERTIES LABELS unit TIMEOUT ${ORTOOL_TEST_TIMEOUT} COST 60)
message(STATUS "tests: SKIPPED in the emulator: broken, calibration, cli, html, shapes, small (thousands of short "
  "processes, or their limits of memory and time), cuda, flow, fuzz, shard (long), c, footprint, install, python, "
  "structure (the host's programs and files)")
add_subdirectory(conformance)
add_subdirectory(cuda_emulation)
add_subdirectory(custom_ops)
add_subdirectory(models)
add_subdirectory(ops)
add_subdirectory(providers)
add_subdirectory(rules)
