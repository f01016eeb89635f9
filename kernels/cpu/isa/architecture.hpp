// The architecture of this build, for code that names kernels of one instruction set.
#pragma once

namespace ortool::cpu {

/// Whether this is a build for x86-64. Compilers leave out what `if (is_x86 && …)` guards in
/// others, and with it references to kernels that are not built for them.
#if defined(__x86_64__)
constexpr bool is_x86 = true;
#else
constexpr bool is_x86 = false;
#endif

}  // namespace ortool::cpu
