# Installs into a folder, moves it, runs the program there and builds a consumer with find_package.
foreach(name IN ITEMS BUILD VERSION CONSUMER GENERATOR COMPILER)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "install_test: -D${name}= is missing")
  endif()
endforeach()
set(scratch "${BUILD}/install_test")
file(REMOVE_RECURSE "${scratch}")
file(MAKE_DIRECTORY "${scratch}")

function(run_or_fail output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${text}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

run_or_fail(ignored "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${scratch}/first")
file(RENAME "${scratch}/first" "${scratch}/moved")

run_or_fail(answer "${scratch}/moved/bin/ortool" --version)
if(NOT answer MATCHES "ortool ${VERSION}")
  message(FATAL_ERROR "the moved program says '${answer}', expected 'ortool ${VERSION}'")
endif()

foreach(script IN ITEMS bash-completion/completions/ortool zsh/site-functions/_ortool
    fish/vendor_completions.d/ortool.fish)
  if(COMPLETION AND NOT EXISTS "${scratch}/moved/share/${script}")
    message(FATAL_ERROR "share/${script} was not installed")
  endif()
endforeach()

# The program must use the library beside it, not the one in the build tree.
run_or_fail(libraries ldd "${scratch}/moved/bin/ortool")
if(NOT libraries MATCHES "${scratch}/moved/[^\n]*libortool")
  message(FATAL_ERROR "the moved program loads another libortool:\n${libraries}")
endif()

file(GLOB_RECURSE files "${scratch}/moved/*")
foreach(file IN LISTS files)
  if(file MATCHES "\\.(cmake|hpp)$")
    file(READ "${file}" text)
    string(FIND "${text}" "${BUILD}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names the build tree, so the prefix cannot move to another machine")
    endif()
  endif()
endforeach()

run_or_fail(ignored "${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${scratch}/consumer" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${scratch}/moved" "-DWANTED_VERSION=${VERSION}")
run_or_fail(ignored "${CMAKE_COMMAND}" --build "${scratch}/consumer")
run_or_fail(answer "${scratch}/consumer/consumer")
if(NOT answer MATCHES "${VERSION}")
  message(FATAL_ERROR "the consumer says '${answer}', expected '${VERSION}'")
endif()
file(REMOVE_RECURSE "${scratch}")
