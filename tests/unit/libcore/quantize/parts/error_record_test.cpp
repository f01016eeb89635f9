// Error records: parts that were written and read join into the bits of one record.
#include "libcore/quantize/parts/error_record.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using namespace ortool;

namespace {

/// A record of some samples of random numbers.
ErrorRecord record_of(std::uint32_t first, std::uint32_t end) {
  ErrorRecord record;
  record.outputs.emplace_back();
  record.outputs.back().name = "y";
  for (std::uint32_t sample = first; sample < end; ++sample) {
    std::mt19937 random(sample);
    const auto tensor = [&random](float scale) {
      std::vector<float> numbers(100);
      for (float& each : numbers) each = scale * (static_cast<float>(random()) / 4.0e9F - 0.5F);
      return Tensor::of<float>({100}, std::move(numbers));
    };
    const Tensor expected = tensor(1e3F);
    const Tensor found = tensor(1e-3F);
    record.outputs.back().sums.add(found, expected);
    record.outputs.back().ranked += 1;
    record.outputs.back().same_first += sample % 2;
    if (sample == first) record.values.push_back({"v", "node", "Relu", ErrorSums()});
    record.values.back().sums.add(expected, found);
    // Only some samples compute this one.
    if (sample >= 5) {
      if (record.values.front().value != "late")
        record.values.insert(record.values.begin(), {"late", "other", "Add", ErrorSums()});
      record.values.front().sums.add(expected, found);
    }
    ++record.samples;
  }
  return record;
}

ErrorRecord reread(const ErrorRecord& record) {
  const Json state = parse_json(record.state().write_compact(), "state");
  return ErrorRecord::from_state(MetricState(state));
}

const ErrorSums& sums_of(const ErrorRecord& record, std::string_view value) {
  for (const ValueError& each : record.values) {
    if (each.value == value) return each.sums;
  }
  throw Error(ErrorCode::invalid, "not there");
}

}  // namespace

TEST_CASE("Records that were written and joined have the bits of one", "[errors]") {
  const ErrorRecord whole = record_of(0, 20);
  ErrorRecord joined = reread(record_of(0, 3));
  for (const auto& [first, end] : {std::pair(3U, 11U), std::pair(11U, 11U), std::pair(11U, 20U)}) {
    ErrorRecord part = reread(record_of(first, end));
    joined.merge(part);
  }
  CHECK(joined.samples == whole.samples);
  CHECK(joined.outputs[0].same_first == whole.outputs[0].same_first);
  CHECK(joined.outputs[0].sums.state().write() == whole.outputs[0].sums.state().write());
  for (const char* value : {"v", "late"}) {
    CHECK(sums_of(joined, value).state().write() == sums_of(whole, value).state().write());
    CHECK(sums_of(joined, value).sqnr_db() == sums_of(whole, value).sqnr_db());
  }
}

TEST_CASE("Records of other outputs and damaged states are rejected", "[errors]") {
  ErrorRecord record = record_of(0, 2);
  ErrorRecord other = record_of(2, 3);
  other.outputs[0].name = "z";
  CHECK_THROWS_AS(record.merge(other), Error);
  for (const char* text : {"{}", R"({"samples": 1, "outputs": [{}], "values": []})",
                           R"({"samples": "one", "outputs": [], "values": []})"}) {
    CAPTURE(text);
    const Json state = parse_json(text, "state");
    CHECK_THROWS_AS(ErrorRecord::from_state(MetricState(state)), Error);
  }
}
