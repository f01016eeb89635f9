// JSON of what runs take on a device.
#include "apps/ortool/bench/device_block.hpp"

namespace ortool {
namespace {

Json positive_or_null(std::int64_t value) {
  return value > 0 ? Json(value) : Json();
}

double number_of(const Json& block, std::string_view key) {
  const Json* value = block.find(key);
  return value != nullptr && value->is_number() ? value->number() : 0;
}

std::int64_t whole_of(const Json& block, std::string_view key) {
  return static_cast<std::int64_t>(number_of(block, key));
}

Json clocks_block(const DeviceClocks& clocks) {
  return Json::object()
      .set("clock_mhz", positive_or_null(clocks.clock_mhz))
      .set("max_clock_mhz", positive_or_null(clocks.max_clock_mhz))
      .set("memory_clock_mhz", positive_or_null(clocks.memory_clock_mhz))
      .set("max_memory_clock_mhz", positive_or_null(clocks.max_memory_clock_mhz))
      .set("temperature_c", clocks.temperature_c ? Json(*clocks.temperature_c) : Json())
      .set("throttled_by", clocks.throttled_by ? Json::list_of(*clocks.throttled_by) : Json());
}

DeviceClocks clocks_of(const Json& block) {
  DeviceClocks clocks = {.clock_mhz = whole_of(block, "clock_mhz"),
                         .max_clock_mhz = whole_of(block, "max_clock_mhz"),
                         .memory_clock_mhz = whole_of(block, "memory_clock_mhz"),
                         .max_memory_clock_mhz = whole_of(block, "max_memory_clock_mhz")};
  const Json* temperature = block.find("temperature_c");
  if (temperature != nullptr && temperature->is_number())
    clocks.temperature_c = whole_of(block, "temperature_c");
  const Json* reasons = block.find("throttled_by");
  if (reasons == nullptr || !reasons->is_list()) return clocks;
  clocks.throttled_by.emplace();
  for (const Json& reason : reasons->items()) {
    if (reason.is_text()) clocks.throttled_by->push_back(reason.text());
  }
  return clocks;
}

}  // namespace

Json device_block(const DeviceTimes& times) {
  Json block = Json::object()
                   .set("copy_in_ms", times.copy_in_ms)
                   .set("compute_ms", times.compute_ms)
                   .set("copy_out_ms", times.copy_out_ms)
                   .set("memory_bytes", positive_or_null(times.memory_bytes));
  if (times.clocks) block.set("clocks", clocks_block(*times.clocks));
  return block;
}

std::optional<DeviceTimes> device_times_of(const Json& block) {
  if (block.find("compute_ms") == nullptr) return std::nullopt;
  DeviceTimes times = {.copy_in_ms = number_of(block, "copy_in_ms"),
                       .compute_ms = number_of(block, "compute_ms"),
                       .copy_out_ms = number_of(block, "copy_out_ms"),
                       .memory_bytes = whole_of(block, "memory_bytes")};
  const Json* clocks = block.find("clocks");
  if (clocks != nullptr && clocks->is_object()) times.clocks = clocks_of(*clocks);
  return times;
}

}  // namespace ortool
