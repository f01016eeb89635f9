// Tests of JSON values: order, numbers, invalid UTF-8, and parsing.
#include "libcore/json/json.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/memory_cap.hpp"

using ortool::Json;
using ortool::parse_json_items;

TEST_CASE("an object keeps the order of its keys") {
  const Json value = Json::object().set("b", 1).set("a", Json::list().add(true).add(Json()));
  CHECK(value.write_compact() == R"({"b": 1, "a": [true, null]})");
}

TEST_CASE("what JSON has no number for is written as a word") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Json value =
      Json::list().add(std::numeric_limits<double>::quiet_NaN()).add(infinity).add(-infinity);
  CHECK(value.write_compact() == R"(["NaN", "Infinity", "-Infinity"])");
}

TEST_CASE("numbers are written shortest and exact") {
  const Json value = Json::list().add(0.1).add(1e300).add(std::numeric_limits<std::int64_t>::min());
  CHECK(value.write_compact() == "[0.1, 1e+300, -9223372036854775808]");
}

TEST_CASE("text is escaped, and bytes that are no UTF-8 are replaced") {
  CHECK(Json("a\"\\\n\x01").write_compact() == R"("a\"\\\n\u0001")");
  CHECK(Json("a\xff\xc3").write_compact() == "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
  CHECK(Json("\xed\xa0\x80").write_compact() == "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  CHECK(Json("\xc3\xa9").write_compact() == "\"\xc3\xa9\"");
}

TEST_CASE("what was written is read again") {
  const std::string text = R"({"a": [1, -2.5, "x", null], "b": {"c": false}})";
  CHECK(ortool::parse_json(text, "test").write_compact() == text);
}

TEST_CASE("a document that is no JSON is refused with its name in front") {
  CHECK_THROWS_WITH(ortool::parse_json("{\"a\": 1,}", "c.json"),
                    Catch::Matchers::StartsWith("c.json: is not valid JSON"));
  CHECK_THROWS_AS(ortool::parse_json(std::string(5000, '['), "deep"), ortool::Error);
}

TEST_CASE("two objects are written as one") {
  const Json first = Json::object().set("a", 1);
  const Json second = Json::object().set("b", Json::list().add(2));
  ortool::StringSink joined;
  first.write_with(second, joined);
  CHECK(joined.take() == "{\n  \"a\": 1,\n  \"b\": [2]\n}\n");
  ortool::StringSink alone;
  first.write_with(Json::object(), alone);
  CHECK(alone.take() == first.write());
}

TEST_CASE("a streamed list is written as a list, an item a line, each time anew") {
  const Json list = Json::streamed_list([](ortool::FunctionRef<void(const Json&)> emit) {
    for (int i = 0; i < 2; ++i) emit(Json::object().set("a", Json::list().add(i)));
  });
  const Json holder = Json::object().set("items", list);
  CHECK(holder.write_compact() == R"({"items": [{"a": [0]}, {"a": [1]}]})");
  CHECK(holder.write() == "{\n  \"items\": [\n    {\"a\": [0]},\n    {\"a\": [1]}\n  ]\n}\n");
  const Json empty = Json::streamed_list([](const auto&) {});
  CHECK(empty.write() == "[]\n");
}

TEST_CASE("a list from positions is held when short, and made while it is written when long") {
  int made = 0;
  const auto count_up = [&made](std::size_t i) {
    ++made;
    return Json(i);
  };
  const Json few = Json::list_from(3, count_up);
  CHECK(made == 3);
  CHECK(few.write() == "[0, 1, 2]\n");
  const Json many = Json::list_from(5000, count_up);
  CHECK(made == 3);
  const std::string text = many.write_compact();
  CHECK(made == 5003);
  CHECK(text.starts_with("[0, 1, 2, "));
  CHECK(text.ends_with(", 4998, 4999]"));
}

TEST_CASE("the items of a document's lists are passed on one by one, and not kept") {
  std::vector<std::string> items;
  const auto take = [&](const std::string& list, const Json& item) {
    items.push_back(list + item.write_compact());
  };
  const Json rest = parse_json_items(R"({"a": [1, {"b": [2, 3]}, []], "c": {"d": [4]}, "e": 5})",
                                     "x.json", {}, take);
  CHECK(items == std::vector<std::string>{"a1", R"(a{"b": [2, 3]})", "a[]"});
  CHECK(rest.write_compact() == R"({"a": [], "c": {"d": [4]}, "e": 5})");
  // The limit is one of each item.
  CHECK_NOTHROW(
      parse_json_items(R"({"a": [[1, 2], [3, 4], [5, 6]]})", "", {.max_values = 5}, take));
  CHECK_THROWS_WITH(parse_json_items(R"({"a": [[1, 2, 3, 4, 5]]})", "", {.max_values = 5}, take),
                    Catch::Contains("holds more than 5 values"));
  CHECK_THROWS_WITH(parse_json_items(R"({"a": [0, {"b": 1, "b": 2}]})", "x.json", {}, take),
                    Catch::Contains("'a[1]' has the key 'b' twice"));
  CHECK(parse_json_items("[1, [2]]", "", {}, take).write_compact() == "[1, [2]]");
}

TEST_CASE("a key that stands twice in a JSON object is refused with the object's place") {
  CHECK_THROWS_WITH(ortool::parse_json(R"({"a": 1, "b": 2, "a": 1})", "c.json"),
                    Catch::Matchers::Equals("c.json: the document has the key 'a' twice"));
  CHECK_THROWS_WITH(ortool::parse_json(R"({"s": [{}, {"in": {"x": 1, "x": 2}}]})", "c.json"),
                    Catch::Matchers::Equals("c.json: 's[1].in' has the key 'x' twice"));
  CHECK_NOTHROW(ortool::parse_json(R"([{"a": {"a": 1}}, {"a": 2}])", "c.json"));
}

TEST_CASE("JSON documents are bounded in levels, values and memory") {
  CHECK_NOTHROW(ortool::parse_json("[[1]]", "d", {.max_depth = 2}));
  CHECK_THROWS_WITH(ortool::parse_json("[[{}]]", "d", {.max_depth = 2}),
                    Catch::Matchers::Contains("more than 2 levels"));
  CHECK_NOTHROW(ortool::parse_json("[1, 2]", "d", {.max_values = 3}));
  CHECK_THROWS_WITH(ortool::parse_json("[1, {\"a\": 2}]", "d", {.max_values = 3}),
                    Catch::Matchers::Contains("more than 3 values"));
  ortool::MemoryCap cap(8 << 20);
  std::string text = "[";
  for (int i = 0; i < 100'000; ++i) text += "[],";
  text += "0]";
  try {
    ortool::parse_json(text, "d", {.cap = &cap});
    FAIL("the memory limit is passed over");
  } catch (const ortool::Error& error) {
    CHECK(error.code() == ortool::ErrorCode::memory_limit);
  }
  CHECK(cap.used_bytes() == 0);
}

TEST_CASE("whole numbers of 64 bits are read exactly, signed and unsigned") {
  const std::string text = "[18446744073709551615, 9223372036854775808, -9223372036854775808]";
  const Json list = ortool::parse_json(text, "test");
  CHECK(list.write_compact() == text);
  CHECK(list.items().front().is_number());
  CHECK(list.items().front().number() == 18446744073709551616.0);
}
