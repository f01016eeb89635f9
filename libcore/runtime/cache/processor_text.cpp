// Processor text, by the cpuid instruction or by what Linux reports of an aarch64 processor.
#include "libcore/runtime/cache/processor_text.hpp"

#include <cstdlib>
#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <fstream>

#include <sys/auxv.h>
#endif

#include "libcore/base/format.hpp"

namespace ortool {

std::string processor_text() {
  std::string text;
#if defined(__x86_64__)
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
#else
  // The model of the first core: in systems of large and small cores, that of all is the same
  // whichever core is running.
  std::string model;
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::getline(file, model);
  text = format("{} {} {} ", model, getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
#endif
  const char* limit = std::getenv("ORTOOL_MAX_ISA");
  return text + (limit != nullptr ? limit : "");
}

}  // namespace ortool
