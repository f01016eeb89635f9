// Rows of what runs take on devices: times, memory, and clocks beside the highest ones.
#include "apps/ortool/bench/device_rows.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/strings/readable_number.hpp"

namespace ortool {
namespace {

/// "1410 of 1980 MHz".
std::string clock_text(std::int64_t clock, std::int64_t highest) {
  if (clock <= 0) return "-";
  return highest > 0 ? format("{} of {} MHz", clock, highest) : format("{} MHz", clock);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string reasons_text(const DeviceClocks& clocks) {
  if (!clocks.throttled_by) return "-";
  return clocks.throttled_by->empty() ? "nothing" : joined(*clocks.throttled_by, ", ");
}

void add_clocks(const std::optional<DeviceClocks>& known, std::vector<std::string>& row) {
  const DeviceClocks clocks = known.value_or(DeviceClocks{});
  row.push_back(clock_text(clocks.clock_mhz, clocks.max_clock_mhz));
  row.push_back(clock_text(clocks.memory_clock_mhz, clocks.max_memory_clock_mhz));
  row.push_back(clocks.temperature_c ? format("{} °C", *clocks.temperature_c) : "-");
  row.push_back(reasons_text(clocks));
}

}  // namespace

std::vector<std::vector<std::string>> device_rows(const BenchFindings& findings) {
  const auto has_device = [](const VariantResult& result) { return result.device.has_value(); };
  if (std::none_of(findings.results.begin(), findings.results.end(), has_device)) return {};
  const bool has_clocks =
      std::any_of(findings.results.begin(), findings.results.end(),
                  [](const auto& result) { return result.device && result.device->clocks; });
  std::vector<std::vector<std::string>> rows = {
      {"on the device", "copy in", "compute", "copy out", "device memory"}};
  if (has_clocks) {
    for (const char* head : {"clock", "memory clock", "temperature", "throttled by"})
      rows.front().emplace_back(head);
  }
  for (const VariantResult& result : findings.results) {
    if (!result.device) continue;
    const DeviceTimes& times = *result.device;
    std::vector<std::string>& row = rows.emplace_back();
    row = {result.variant.name, short_ms(times.copy_in_ms), short_ms(times.compute_ms),
           short_ms(times.copy_out_ms),
           times.memory_bytes > 0 ? readable_bytes(static_cast<double>(times.memory_bytes)) : "-"};
    if (has_clocks) add_clocks(times.clocks, row);
  }
  return rows;
}

std::vector<std::string> device_csv_heads() {
  return {"device_copy_in_ms",       "device_compute_ms",
          "device_copy_out_ms",      "device_memory_bytes",
          "device_clock_mhz",        "device_max_clock_mhz",
          "device_memory_clock_mhz", "device_max_memory_clock_mhz",
          "device_temperature_c",    "device_throttled_by"};
}

std::vector<std::string> device_csv_fields(const std::optional<DeviceTimes>& device) {
  if (!device) return std::vector<std::string>(device_csv_heads().size());
  std::vector<std::string> fields;
  for (const double value : {device->copy_in_ms, device->compute_ms, device->copy_out_ms})
    fields.push_back(format("{}", value));
  const DeviceClocks clocks = device->clocks.value_or(DeviceClocks{});
  for (const std::int64_t value : {device->memory_bytes, clocks.clock_mhz, clocks.max_clock_mhz,
                                   clocks.memory_clock_mhz, clocks.max_memory_clock_mhz})
    fields.push_back(value > 0 ? std::to_string(value) : std::string());
  fields.push_back(clocks.temperature_c ? std::to_string(*clocks.temperature_c) : std::string());
  fields.push_back(clocks.throttled_by ? joined(*clocks.throttled_by, "; ") : std::string());
  return fields;
}

}  // namespace ortool
