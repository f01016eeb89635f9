// What runs take on devices, in tables, CSV and JSON of bench.
#include "apps/ortool/bench/device_rows.hpp"

#include <catch2/catch.hpp>

#include "apps/ortool/bench/device_block.hpp"

namespace ortool {
namespace {

DeviceTimes times_with_clocks() {
  return {.copy_in_ms = 0.5,
          .compute_ms = 2,
          .copy_out_ms = 0.25,
          .memory_bytes = 3'000'000,
          .clocks =
              DeviceClocks{.clock_mhz = 1410,
                           .max_clock_mhz = 1980,
                           .memory_clock_mhz = 2619,
                           .max_memory_clock_mhz = 0,
                           .temperature_c = 61,
                           .throttled_by = std::vector<std::string>{"power limit", "temperature"}}};
}

BenchFindings findings_with(std::vector<std::optional<DeviceTimes>> devices) {
  BenchFindings findings;
  for (std::optional<DeviceTimes>& device : devices) {
    VariantResult& result = findings.results.emplace_back();
    result.variant.name = "m" + std::to_string(findings.results.size());
    result.times.blocks = {{1, 1.5}};
    summarize_times(result, BenchSettings{});
    result.device = std::move(device);
  }
  return findings;
}

using Row = std::vector<std::string>;

TEST_CASE("rows of devices have clocks where one tells them") {
  CHECK(device_rows(findings_with({std::nullopt})).empty());
  DeviceTimes plain = times_with_clocks();
  plain.clocks.reset();
  const auto without = device_rows(findings_with({std::nullopt, plain}));
  REQUIRE(without.size() == 2);
  CHECK(without[0] == Row{"on the device", "copy in", "compute", "copy out", "device memory"});
  CHECK(without[1][0] == "m2");
  const auto with = device_rows(findings_with({times_with_clocks(), plain}));
  REQUIRE(with.size() == 3);
  CHECK(with[0].size() == 9);
  CHECK(Row(with[1].begin() + 5, with[1].end()) ==
        Row{"1410 of 1980 MHz", "2619 MHz", "61 °C", "power limit, temperature"});
  CHECK(Row(with[2].begin() + 5, with[2].end()) == Row{"-", "-", "-", "-"});
}

TEST_CASE("a device that nothing throttles says so, and one that does not tell has no reason") {
  DeviceTimes times = times_with_clocks();
  times.clocks->throttled_by->clear();
  CHECK(device_rows(findings_with({times}))[1].back() == "nothing");
  times.clocks->throttled_by.reset();
  CHECK(device_rows(findings_with({times}))[1].back() == "-");
}

TEST_CASE("every table of bench has the clocks of devices") {
  const BenchFindings findings = findings_with({times_with_clocks()});
  for (const std::string& text :
       {text_report(findings, BenchSettings{}), markdown_report(findings)}) {
    INFO(text);
    CHECK_THAT(text, Catch::Contains("1410 of 1980 MHz") && Catch::Contains("61 °C") &&
                         Catch::Contains("power limit, temperature"));
  }
  const std::string csv = csv_report(findings, false);
  INFO(csv);
  CHECK_THAT(csv,
             Catch::Contains(",0.5,2,0.25,3000000,1410,1980,2619,,61,power limit; temperature"));
  const std::string heads = csv.substr(0, csv.find('\n'));
  CHECK_THAT(heads, Catch::EndsWith("device_temperature_c,device_throttled_by"));
}

TEST_CASE("CSV has empty fields for a variant without a device") {
  CHECK(device_csv_fields(std::nullopt) == Row(device_csv_heads().size()));
  CHECK(device_csv_fields(times_with_clocks()).size() == device_csv_heads().size());
}

TEST_CASE("what a process tells of its device is read as it was written") {
  const DeviceTimes times = times_with_clocks();
  const Json block = device_block(times);
  CHECK(block.find("clocks")->find("max_memory_clock_mhz")->is_null());
  const std::optional<DeviceTimes> read = device_times_of(block);
  REQUIRE(read.has_value());
  CHECK(device_block(*read).write_compact() == block.write_compact());
  DeviceTimes plain = times;
  plain.clocks.reset();
  CHECK(device_block(plain).find("clocks") == nullptr);
  CHECK_FALSE(device_times_of(device_block(plain))->clocks.has_value());
  DeviceTimes silent = times;
  silent.clocks = DeviceClocks{};
  const std::optional<DeviceTimes> unknown = device_times_of(device_block(silent));
  CHECK_FALSE(unknown->clocks->temperature_c.has_value());
  CHECK_FALSE(unknown->clocks->throttled_by.has_value());
  CHECK_FALSE(device_times_of(Json::object()).has_value());
}

}  // namespace
}  // namespace ortool
