// The prefix is kept once for the process.
#include "libcore/base/setting_name.hpp"

namespace ortool {
namespace {

std::string& setting_prefix() {
  static std::string prefix;
  return prefix;
}

}  // namespace

std::string setting_name(std::string_view name) {
  return setting_prefix() + std::string(name);
}

void set_setting_prefix(std::string_view prefix) {
  setting_prefix() = prefix;
}

}  // namespace ortool
