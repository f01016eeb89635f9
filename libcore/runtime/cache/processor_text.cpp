// Processor text, by the cpuid instruction.
#include "libcore/runtime/cache/processor_text.hpp"

#include <cpuid.h>
#include <cstdlib>

#include "libcore/base/format.hpp"

namespace ortool {

std::string processor_text() {
  std::string text;
  for (const unsigned leaf : {1U, 7U, 0x80000002U, 0x80000003U, 0x80000004U}) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0) continue;
    // Bits of leaf 1 tell which core is running.
    if (leaf == 1) b = 0;
    text += format("{}.{}.{}.{} ", a, b, c, d);
  }
  const char* limit = std::getenv("ORTOOL_MAX_ISA");
  return text + (limit != nullptr ? limit : "");
}

}  // namespace ortool
