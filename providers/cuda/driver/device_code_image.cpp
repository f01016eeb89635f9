// Device code image: includes the file that nvcc made, ORTOOL_DEVICE_CODE.
#include "providers/cuda/driver/device_code_image.hpp"

asm(R"(
  .section .rodata
  .balign 64
  .hidden ortool_device_code
  .global ortool_device_code
ortool_device_code:
  .incbin ")" ORTOOL_DEVICE_CODE R"("
  .byte 0
  .previous
)");

extern "C" const char ortool_device_code[];

namespace ortool::cuda {

const void* device_code_image() {
  return ortool_device_code;
}

}  // namespace ortool::cuda
