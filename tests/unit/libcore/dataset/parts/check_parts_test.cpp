// Parts: written and read back; damaged, lost, doubled and foreign ones are named.
#include "libcore/dataset/parts/check_parts.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using namespace ortool;

namespace {

Part part_of(std::int64_t index, std::int64_t count) {
  Part part;
  part.path = "p" + std::to_string(index + 1);
  part.task = {"evaluation",         "1.0.0", std::string(64, 'a'),
               std::string(64, 'b'), 70,      {{"metric", "top1"}},
               {index, count},       "avx2"};
  part.items = {index * 10, index * 10 + 10};
  part.payload = "line one\nline two\n";
  return part;
}

std::vector<Part> parts_of(std::int64_t count) {
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < count; ++i) parts.push_back(part_of(i, count));
  return parts;
}

std::string failure(std::vector<Part> parts) {
  try {
    check_parts(parts);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("A part is read as it was written", "[parts]") {
  const Part part = part_of(2, 7);
  const std::string bytes = serialize_part(part);
  CHECK(is_part(bytes));
  const Part read = parse_part(bytes, "p3");
  CHECK(read.task == part.task);
  CHECK(read.items == part.items);
  CHECK(read.payload == part.payload);
  Part none = part;
  none.task.model.clear();
  CHECK(parse_part(serialize_part(none), "p3").task.model.empty());
}

TEST_CASE("Every changed byte and every cut of a part is noticed", "[parts]") {
  const std::string bytes = serialize_part(part_of(0, 2));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CAPTURE(i);
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_THROWS_AS(parse_part(changed, "p"), Error);
    CHECK_THROWS_AS(parse_part(std::string_view(bytes).substr(0, i), "p"), Error);
  }
  CHECK_THROWS_AS(parse_part(bytes + "x", "p"), Error);
}

TEST_CASE("Complete parts are sorted by shard", "[parts]") {
  std::vector<Part> parts = parts_of(3);
  std::swap(parts[0], parts[2]);
  check_parts(parts);
  CHECK(parts[0].path == "p1");
  CHECK(parts[2].path == "p3");
}

TEST_CASE("Missing shards are named", "[parts]") {
  std::vector<Part> parts = parts_of(7);
  parts.erase(parts.begin() + 2);
  CHECK(failure(parts) == "a shard is missing: 3/7");
  parts.erase(parts.begin() + 5);
  CHECK(failure(parts) == "shards are missing: 3/7, 7/7");
  CHECK(failure({part_of(0, 100)}) ==
        "shards are missing: 2/100, 3/100, 4/100, 5/100, 6/100, 7/100, 8/100, 9/100, 10/100, "
        "11/100 and 89 more");
}

TEST_CASE("A shard that is given twice is named with both files", "[parts]") {
  std::vector<Part> parts = parts_of(3);
  parts.push_back(part_of(1, 3));
  parts.back().path = "copy";
  CHECK(failure(parts) == "shard 2/3 is given twice: p2 and copy");
}

TEST_CASE("The odd file is named with the field that differs", "[parts]") {
  const auto with = [](auto&& change) {
    std::vector<Part> parts = parts_of(3);
    change(parts[0].task);
    return failure(parts);
  };
  CHECK(with([](PartTask& task) { task.kind = "errors"; }) ==
        "p1: is a part of another task: the kind is 'errors' instead of 'evaluation'");
  CHECK(with([](PartTask& task) { task.version = "2"; }) ==
        "p1: is a part of another task: the version of ortool is '2' instead of '1.0.0'");
  CHECK(with([](PartTask& task) { task.model = std::string(64, 'c'); }) ==
        "p1: is a part of another task: the hash of the model is cccccccccccc... instead of "
        "aaaaaaaaaaaa...");
  CHECK(with([](PartTask& task) { task.data = std::string(64, 'd'); }) ==
        "p1: is a part of another task: the hash of the data is dddddddddddd... instead of "
        "bbbbbbbbbbbb...");
  CHECK(with([](PartTask& task) { task.items = 71; }) ==
        "p1: is a part of another task: the number of items is '71' instead of '70'");
  CHECK(with([](PartTask& task) { task.settings[0].second = "top5"; }) ==
        "p1: is a part of another task: the setting 'metric' is 'top5' instead of 'top1'");
  CHECK(with([](PartTask& task) { task.settings.clear(); }) ==
        "p1: is a part of another task: the setting 'metric' is none instead of 'top1'");
  CHECK(with([](PartTask& task) { task.shard.count = 4; }) ==
        "p1: is a part of another task: the number of shards is '4' instead of '3'");
}

TEST_CASE("Of two parts, both files are named", "[parts]") {
  std::vector<Part> parts = parts_of(2);
  parts[1].task.data = std::string(64, 'd');
  CHECK(failure(parts) ==
        "p2: is a part of another task: the hash of the data is dddddddddddd... instead of "
        "bbbbbbbbbbbb... as in p1");
}

TEST_CASE("Another instruction set is no error, but told", "[parts]") {
  std::vector<Part> parts = parts_of(3);
  CHECK(other_isas(parts).empty());
  parts[1].task.isa = "avx512";
  check_parts(parts);
  CHECK(other_isas(parts) == std::vector<std::string>{"p2: avx512 instead of avx2"});
}
