// CPU features for bfloat16, and the macro that declares kernels which need them.
#pragma once

namespace ortool::cpu {

enum class Isa;

/// Whether the processor has AVX512-BF16, whose kernels (bf16) belong to the level avx512.
bool has_avx512_bf16();

/// Whether the processor has AMX-BF16 and AVX512-BF16. The kernels (amxbf16) belong to the level
/// amx.
bool has_amx_bf16();

}  // namespace ortool::cpu

// As ORTOOL_ISA_FUNCTIONS and ORTOOL_ISA_KERNEL_OR_NULL of isa_kernel.hpp, for the sets bf16 and
// amxbf16.
#define ORTOOL_ISA_BF16_FUNCTIONS(sets, ...) \
  namespace bf16 {                           \
  __VA_ARGS__                                \
  }                                          \
  namespace amxbf16 {                        \
  __VA_ARGS__                                \
  }
#define ORTOOL_ISA_BF16_KERNEL_OR_NULL(Type, name, ...) \
  const Type* name(Isa isa);                            \
  ORTOOL_ISA_BF16_FUNCTIONS((__VA_ARGS__), extern const Type name;)
