// Delay loading: calls functions of libraries that few runs need, and loads those at the first
// call.
#pragma once

#include <cstddef>

namespace ortool {

/// The functions of all delay-loaded libraries, by number. Written by the build
/// (cmake/OrtoolDelayLoad.cmake).
struct DelayLoadTable {
  const char* const* names;
  const unsigned char* library_numbers;
  const char* const* sonames;  ///< by library number
  void** slots;                ///< addresses; null: not known yet
};

const DelayLoadTable& delay_load_table();

}  // namespace ortool

/// Finds a function, loading its library if that is not loaded yet. Throws
/// ErrorCode::provider_unavailable, naming the library, if it is missing.
extern "C" __attribute__((visibility("hidden"))) void* ortool_delay_load(std::size_t number);

/// The stub of function NAME: jumps to the address in its slot, at first by way of
/// ortool_delay_load_first, which finds that. Registers and the stack stay as the caller left them,
/// but those that a linker's veneer may use.
#if defined(__aarch64__)
#define ORTOOL_DELAY_LOADED(NAME, NUMBER)                                                  \
  asm(".pushsection .text\n"                                                               \
      ".globl " #NAME "\n.hidden " #NAME "\n.type " #NAME ", %function\n.balign 4\n" #NAME \
      ":\n"                                                                                \
      ".cfi_startproc\n"                                                                   \
      "hint #34\n" /* bti c */                                                             \
      "adrp x16, ortool_delay_load_slots+8*" #NUMBER                                       \
      "\n"                                                                                 \
      "add x16, x16, :lo12:ortool_delay_load_slots+8*" #NUMBER                             \
      "\n"                                                                                 \
      "ldar x16, [x16]\n"                                                                  \
      "cbz x16, 1f\n"                                                                      \
      "br x16\n"                                                                           \
      "1: mov x17, #" #NUMBER                                                              \
      "\n"                                                                                 \
      "b ortool_delay_load_first\n"                                                        \
      ".cfi_endproc\n"                                                                     \
      ".size " #NAME ", . - " #NAME "\n.popsection\n");
#else
#define ORTOOL_DELAY_LOADED(NAME, NUMBER)                                       \
  asm(".pushsection .text\n"                                                    \
      ".globl " #NAME "\n.hidden " #NAME "\n.type " #NAME ", @function\n" #NAME \
      ":\n"                                                                     \
      ".cfi_startproc\n"                                                        \
      "endbr64\n"                                                               \
      "movq ortool_delay_load_slots+8*" #NUMBER                                 \
      "(%rip), %r11\n"                                                          \
      "testq %r11, %r11\n"                                                      \
      "je 1f\n"                                                                 \
      "jmp *%r11\n"                                                             \
      "1: pushq $" #NUMBER                                                      \
      "\n"                                                                      \
      ".cfi_adjust_cfa_offset 8\n"                                              \
      "jmp ortool_delay_load_first\n"                                           \
      ".cfi_endproc\n"                                                          \
      ".size " #NAME ", . - " #NAME "\n.popsection\n");
#endif
