// Tests of NAME=VALUE, where names may hold any character.
#include "libcore/base/strings/named_value.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using ortool::split_name_list;
using ortool::split_named_value;

TEST_CASE("the longest of the model's own names counts") {
  const std::vector<std::string> names = {"input", "input_1:0", "input=x"};
  const auto split = [&](std::string_view text) {
    return split_named_value("input", text, names, "input", "inputs");
  };
  CHECK(split("input_1:0=x.npy").name == "input_1:0");
  CHECK(split("input_1:0=x.npy").value == "x.npy");
  CHECK(split("input=x=y.npy").name == "input=x");
  CHECK(split("input=z=y.npy").value == "z=y.npy");
  CHECK(split("input:a.npy").value == "a.npy");
}

TEST_CASE("an unknown name is an error with the nearest one") {
  const std::vector<std::string> names = {"image"};
  try {
    split_named_value("input", "imag=x", names, "input", "inputs");
    FAIL("nothing was thrown");
  } catch (const ortool::Error& error) {
    CHECK(error.hint().find("did you mean 'image'?") != std::string::npos);
  }
  CHECK_THROWS_AS(split_named_value("input", "image", names, "input", "inputs"), ortool::Error);
}

TEST_CASE("names in a list may hold commas") {
  const std::vector<std::string> names = {"a", "a,b", "c"};
  CHECK(split_name_list("a,b,c", names, "output", "outputs") ==
        std::vector<std::string>{"a,b", "c"});
  CHECK(split_name_list("a,c", names, "output", "outputs") == std::vector<std::string>{"a", "c"});
  CHECK_THROWS_AS(split_name_list("a,d", names, "output", "outputs"), ortool::Error);
}
