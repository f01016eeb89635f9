// Reads a device description, and checks every key of it.
#include "libcore/measure/estimate/device.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name.hpp"

namespace ortool {
namespace {

constexpr std::string_view how_to_write =
    "`ortool schema device` prints the format, and `ortool bench --estimate cortex-a76 --json` an "
    "example";

Error bad_device(std::string message) {
  return Error(ErrorCode::invalid, std::move(message), std::string(how_to_write))
      .with_id("device.file");
}

/// An object of a device description, whose keys are read one by one.
class DeviceFields {
 public:
  DeviceFields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) {
      throw bad_device(format("{} is not an object", where_.empty() ? "the document" : where_));
    }
  }

  void check_keys(std::span<const std::string> known) const {
    for (const auto& [key, value] : object_.members()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      throw unknown_name("key", where_ + key, "keys", known).with_id("device.file");
    }
  }

  const Json& require(std::string_view key) const {
    const Json* found = object_.find(key);
    if (found == nullptr) throw bad_device(format("'{}{}' is missing", where_, key));
    return *found;
  }

  double number(std::string_view key, double least, double most) const {
    const Json& value = require(key);
    if (!value.is_number() || !(value.number() >= least && value.number() <= most)) {
      throw bad_device(format("'{}{}' is not a number from {} to {} (found {})", where_, key, least,
                              most, shorten(value.write_compact(), 60)));
    }
    return value.number();
  }

  std::int64_t whole(std::string_view key, double least, double most) const {
    const double value = number(key, least, most);
    if (value != std::floor(value)) {
      throw bad_device(format("'{}{}' is not a whole number (found {})", where_, key, value));
    }
    return static_cast<std::int64_t>(value);
  }

  std::string text(std::string_view key) const {
    const Json& value = require(key);
    if (!value.is_text()) throw bad_device(format("'{}{}' is not a string", where_, key));
    return value.text();
  }

  bool flag_or_false(std::string_view key) const {
    const Json* value = object_.find(key);
    if (value == nullptr) return false;
    if (!value->is_flag()) throw bad_device(format("'{}{}' is not true or false", where_, key));
    return value->flag();
  }

  const Json::List& list(std::string_view key) const {
    const Json& value = require(key);
    if (!value.is_list()) throw bad_device(format("'{}{}' is not a list", where_, key));
    return value.items();
  }

 private:
  const Json& object_;
  std::string where_;
};

std::vector<std::string> read_isa(const DeviceFields& fields) {
  std::vector<std::string> isa;
  for (const Json& item : fields.list("isa")) {
    const std::string name = item.is_text() ? item.text() : item.write_compact();
    const auto& known = known_isa();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw unknown_name("instruction set in 'isa'", name, "instruction sets", known)
          .with_id("device.file");
    }
    isa.push_back(name);
  }
  return isa;
}

std::vector<CacheLevel> read_caches(const DeviceFields& fields) {
  const std::vector<std::string> keys = {"bytes", "bytes_per_cycle", "shared"};
  std::vector<CacheLevel> caches;
  for (const Json& item : fields.list("caches")) {
    const DeviceFields of_level(item, format("caches[{}].", caches.size()));
    of_level.check_keys(keys);
    CacheLevel level;
    level.bytes = of_level.whole("bytes", 1024, 0x1p40);
    level.bytes_per_cycle = of_level.number("bytes_per_cycle", 0.1, 4096);
    level.is_shared = of_level.flag_or_false("shared");
    if (!caches.empty() && level.bytes < caches.back().bytes) {
      throw bad_device(format("'caches' is not sorted: level {} is smaller than the one before",
                              caches.size() + 1));
    }
    caches.push_back(level);
  }
  return caches;
}

}  // namespace

bool Device::has_isa(std::string_view wanted) const {
  return std::find(isa.begin(), isa.end(), wanted) != isa.end();
}

const std::vector<std::string>& known_isa() {
  static const std::vector<std::string> names = {"neon", "fp16", "dotprod", "i8mm", "bf16",
                                                 "sse2", "avx2", "avx512",  "vnni", "amx-int8"};
  return names;
}

Device read_device(const Json& document) {
  const DeviceFields fields(document, "");
  const std::vector<std::string> keys = {
      "name",   "description",         "cores",
      "isa",    "clock_ghz",           "vector_bits",
      "caches", "vector_pipes",        "instructions_per_cycle",
      "$schema", "memory_gbytes_per_s", "memory_gbytes_per_s_per_core"};
  fields.check_keys(keys);
  Device device;
  device.name = fields.text("name");
  device.cores = static_cast<int>(fields.whole("cores", 1, 1024));
  device.clock_ghz = fields.number("clock_ghz", 0.01, 20);
  device.vector_bits = static_cast<int>(fields.whole("vector_bits", 32, 2048));
  device.vector_pipes = static_cast<int>(fields.whole("vector_pipes", 1, 16));
  device.instructions_per_cycle = fields.number("instructions_per_cycle", 0.1, 16);
  device.isa = read_isa(fields);
  device.caches = read_caches(fields);
  device.memory_gbytes_per_s = fields.number("memory_gbytes_per_s", 0.01, 1e5);
  device.memory_gbytes_per_s_per_core =
      fields.number("memory_gbytes_per_s_per_core", 0.01, device.memory_gbytes_per_s);
  return device;
}

}  // namespace ortool
