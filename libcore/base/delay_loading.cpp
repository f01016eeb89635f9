// Delay loading: the way from a stub to its function, at the first call.
#include "libcore/base/delay_loading.hpp"

#include <atomic>
#include <dlfcn.h>
#include <string>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

#if defined(__aarch64__)

// Keeps what a function may be called with: the integer registers, the address of a result in x8,
// and eight vector registers. The return address stays that of the stub's caller.
asm(R"(
  .pushsection .text
  .hidden ortool_delay_load_first
  .globl ortool_delay_load_first
  .type ortool_delay_load_first, %function
  .balign 4
ortool_delay_load_first:
  .cfi_startproc
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset 29, -224
  .cfi_offset 30, -216
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov x0, x17
  bl ortool_delay_load
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  br x16
  .cfi_endproc
  .size ortool_delay_load_first, . - ortool_delay_load_first
  .popsection
)");

#else

// Keeps what a function may be called with: the integer registers, the number of vector registers in
// rax, and eight vector registers. At the end, the stack is that of the stub's caller.
asm(R"(
  .pushsection .text
  .hidden ortool_delay_load_first
  .globl ortool_delay_load_first
  .type ortool_delay_load_first, @function
ortool_delay_load_first:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  pushq %rax
  .cfi_adjust_cfa_offset 8
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  pushq %rdx
  .cfi_adjust_cfa_offset 8
  pushq %rcx
  .cfi_adjust_cfa_offset 8
  pushq %r8
  .cfi_adjust_cfa_offset 8
  pushq %r9
  .cfi_adjust_cfa_offset 8
  pushq %r10
  .cfi_adjust_cfa_offset 8
  subq $128, %rsp
  .cfi_adjust_cfa_offset 128
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 192(%rsp), %rdi
  call ortool_delay_load
  movq %rax, %r11
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $128, %rsp
  .cfi_adjust_cfa_offset -128
  popq %r10
  .cfi_adjust_cfa_offset -8
  popq %r9
  .cfi_adjust_cfa_offset -8
  popq %r8
  .cfi_adjust_cfa_offset -8
  popq %rcx
  .cfi_adjust_cfa_offset -8
  popq %rdx
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  popq %rax
  .cfi_adjust_cfa_offset -8
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  jmp *%r11
  .cfi_endproc
  .size ortool_delay_load_first, . - ortool_delay_load_first
  .popsection
)");

#endif

namespace ortool {
namespace {

Error cannot_be_loaded(const char* library, const char* function) {
  const char* const reason = ::dlerror();
  return Error(ErrorCode::provider_unavailable,
               format("{} is needed here and cannot be loaded: {}", library,
                      reason != nullptr ? reason : function),
               "install ortool again, with the libraries that it depends on")
      .with_id("library.missing");
}

}  // namespace
}  // namespace ortool

void* ortool_delay_load(std::size_t number) {
  const ortool::DelayLoadTable& table = ortool::delay_load_table();
  const char* const soname = table.sonames[table.library_numbers[number]];
  // Once more if several threads come here at the same time; a loaded library stays.
  void* const library = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw ortool::cannot_be_loaded(soname, table.names[number]);
  void* const function = ::dlsym(library, table.names[number]);
  if (function == nullptr) throw ortool::cannot_be_loaded(soname, table.names[number]);
  std::atomic_ref<void*>(table.slots[number]).store(function, std::memory_order_release);
  return function;
}
