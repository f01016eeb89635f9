// The nearest names for an unknown one: typos, prefixes and words.
#include "libcore/base/strings/unknown_name_of_many.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using ortool::nearest_names;

namespace {

const std::vector<std::string> options = {"--outputs", "--output-dir", "--output-format",
                                          "--threads", "--test",       "--format"};

}  // namespace

TEST_CASE("The nearest names come first: typos, prefixes, then words of longer names") {
  CHECK(nearest_names("--thread", options, 3) == std::vector<std::string>{"--threads"});
  CHECK(nearest_names("--output", options, 3) ==
        std::vector<std::string>{"--outputs", "--output-dir", "--output-format"});
  CHECK(nearest_names("--formt", options, 3) == std::vector<std::string>{"--format"});
  CHECK(nearest_names("dir", options, 3) == std::vector<std::string>{"--output-dir"});
  CHECK(nearest_names("--output", options, 1) == std::vector<std::string>{"--outputs"});
}

TEST_CASE("Nothing is near to a name of another kind") {
  CHECK(nearest_names("--xyzzy", options, 3).empty());
  CHECK(nearest_names("", options, 3).empty());
  CHECK(nearest_names("--", options, 3).empty());
  CHECK(nearest_names(std::string(100000, 'a'), options, 3).empty());
}

TEST_CASE("An unknown name of many has three suggestions, and what lists all") {
  const ortool::Error error =
      ortool::unknown_name_of_many("option", "--output", options, "`x --help` lists all options");
  CHECK(std::string(error.what()) == "unknown option '--output'");
  CHECK(error.hint() ==
        "did you mean '--outputs', '--output-dir' or '--output-format'? `x --help` lists all "
        "options");
}
