# Writes stubs for the functions that object files call in shared libraries: cmake -DOBJECTS=FILE -DLIBRARIES=FILE
# -DNM=nm -DOBJDUMP=objdump -DSTUBS=FILE.cpp -DREFERENCES=FILE.cpp -P delay_load_stubs.cmake
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${OBJECTS}" objects)
file(STRINGS "${LIBRARIES}" libraries)
execute_process(COMMAND "${NM}" --undefined-only --format=just-symbols ${objects} OUTPUT_VARIABLE called
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" called "${called}")
list(REMOVE_DUPLICATES called)

set(stubs "")
set(names "")
set(numbers "")
set(sonames "")
set(references "")
set(index 0)
set(library_number 0)
foreach(library IN LISTS libraries)
  execute_process(COMMAND "${OBJDUMP}" --private-headers "${library}" OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
  if(NOT headers MATCHES "SONAME +([^ \n]+)")
    message(FATAL_ERROR "${library} has no SONAME")
  endif()
  string(APPEND sonames "    \"${CMAKE_MATCH_1}\",\n")
  execute_process(COMMAND "${NM}" --dynamic --defined-only "${library}" OUTPUT_VARIABLE defined COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " T [^\n@]+" defined "${defined}")
  list(TRANSFORM defined REPLACE "^ T " "")
  foreach(name IN LISTS defined)
    if(NOT name IN_LIST called OR name IN_LIST found)
      continue()
    endif()
    list(APPEND found "${name}")
    string(APPEND names "    \"${name}\",\n")
    string(APPEND numbers "${library_number}, ")
    string(APPEND references "  .quad ${name}\n")
    string(APPEND stubs "ORTOOL_DELAY_LOADED(${name}, ${index})\n")
    math(EXPR index "${index} + 1")
  endforeach()
  math(EXPR library_number "${library_number} + 1")
endforeach()
if(index EQUAL 0)
  message(FATAL_ERROR "no function of these libraries is called: ${libraries}")
endif()

file(WRITE "${STUBS}" "// Stubs of delay-loaded functions, written by delay_load_stubs.cmake.
#include \"libcore/base/delay_loading.hpp\"

namespace {

constexpr const char* names[] = {
${names}};
constexpr const char* sonames[] = {
${sonames}};
constexpr unsigned char library_numbers[] = {${numbers}};

}  // namespace

extern \"C\" {
__attribute__((visibility(\"hidden\"))) void* ortool_delay_load_slots[${index}] = {};
}

const ortool::DelayLoadTable& ortool::delay_load_table() {
  static constexpr DelayLoadTable table = {names, library_numbers, sonames, ortool_delay_load_slots};
  return table;
}

${stubs}")
file(WRITE "${REFERENCES}" "// References to delay-loaded functions, for tools that list needed libraries.
asm(R\"(
  .pushsection .data.rel, \"aw\"
${references}  .popsection
)\");
")
