// Device descriptions: what is read, and what is refused.
#include "libcore/measure/estimate/device.hpp"

#include <catch2/catch.hpp>

#include "apps/ortool/embedded_documents.hpp"
#include "libcore/base/error.hpp"

using namespace ortool;

namespace {

constexpr std::string_view plain = R"({
  "name": "board", "cores": 4, "clock_ghz": 1.5, "vector_bits": 128, "vector_pipes": 2,
  "instructions_per_cycle": 1.5, "isa": ["neon", "dotprod"],
  "caches": [{"bytes": 32768, "bytes_per_cycle": 16}, {"bytes": 1048576, "bytes_per_cycle": 8, "shared": true}],
  "memory_gbytes_per_s": 4, "memory_gbytes_per_s_per_core": 3})";

/// The message for `plain` with one text replaced.
std::string refusal(std::string_view replaced, std::string_view by) {
  std::string text(plain);
  const std::size_t at = text.find(replaced);
  REQUIRE(at != std::string::npos);
  text.replace(at, replaced.size(), by);
  try {
    read_device(parse_json(text, "device"));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    CHECK(error.id() == "device.file");
    return error.message();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("A device is read as it is written") {
  const Device device = read_device(parse_json(plain, "device"));
  CHECK(device.name == "board");
  CHECK(device.cores == 4);
  CHECK(device.has_isa("dotprod"));
  CHECK_FALSE(device.has_isa("i8mm"));
  REQUIRE(device.caches.size() == 2);
  CHECK_FALSE(device.caches[0].is_shared);
  CHECK(device.caches[1].is_shared);
  CHECK(device.caches[1].bytes == 1 << 20);
}

TEST_CASE("What a device lacks or has wrong is named") {
  CHECK(refusal("\"cores\": 4, ", "") == "'cores' is missing");
  CHECK(refusal("\"cores\": 4", "\"cores\": 1.5").find("'cores' is not a whole number") == 0);
  CHECK(refusal("\"cores\": 4", "\"cores\": 0").find("'cores' is not a number from 1") == 0);
  CHECK(refusal("\"cores\": 4", "\"cores\": \"4\"").find("'cores' is not a number") == 0);
  CHECK(refusal("\"name\": \"board\"", "\"name\": 1") == "'name' is not a string");
  CHECK(refusal("\"clock_ghz\"", "\"clock_mhz\"").find("clock_mhz") != std::string::npos);
  CHECK(refusal("\"dotprod\"", "\"dotproduct\"").find("dotproduct") != std::string::npos);
  CHECK(refusal("32768", "12").find("'caches[0].bytes' is not a number from 1024") == 0);
  CHECK(refusal("1048576", "2048").find("'caches' is not sorted") == 0);
  CHECK(refusal("true", "1") == "'caches[1].shared' is not true or false");
  CHECK(refusal("[\"neon\", \"dotprod\"]", "\"neon\"") == "'isa' is not a list");
  CHECK(refusal("_per_core\": 3", "_per_core\": 5").find("'memory_gbytes_per_s_per_core'") == 0);
}

TEST_CASE("A document that is not an object is refused") {
  CHECK_THROWS_AS(read_device(parse_json("[1]", "device")), Error);
}

TEST_CASE("Every device of the program can be read") {
  CHECK(embedded_devices().size() >= 7);
  for (const EmbeddedFile& document : embedded_devices()) {
    CAPTURE(document.name);
    CHECK(read_device(parse_json(document.text, document.name)).cores >= 1);
  }
}
