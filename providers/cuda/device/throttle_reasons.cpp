// Throttle reasons: NVML's bits and their words.
#include "providers/cuda/device/throttle_reasons.hpp"

#include <array>
#include <charconv>

namespace ortool::cuda {
namespace {

struct ThrottleReason {
  std::uint64_t bit;
  const char* words;
};

/// NVML's nvmlClocksEventReason constants, those of nvmlClocksThrottleReason in older versions.
constexpr std::uint64_t idle = 0x1;
constexpr std::array<ThrottleReason, 8> reasons = {{
    {0x2, "application clocks"},
    {0x4, "power limit"},
    {0x8, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "temperature"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},
    {0x100, "display clocks"},
}};

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits = {};
  constexpr int base = 16;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  return {digits.data(), end};
}

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> found;
  bits &= ~idle;
  for (const ThrottleReason& reason : reasons) {
    if ((bits & reason.bit) != 0) found.emplace_back(reason.words);
    bits &= ~reason.bit;
  }
  if (bits != 0) found.push_back("reason 0x" + hexadecimal(bits));
  return found;
}

}  // namespace ortool::cuda
