// rule_cases FILE...: runs rewrite-rule cases; exit code 1 if one fails or a file has none.
// rule_cases --missing FOLDER: exit code 1 if a rule of the pipeline has no file there.
// rule_cases --exhaustive: runs rules marked exhaustive on all their small graphs.
// rule_cases --random COUNT [SEED]: runs all rules together on random graphs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "tests/rules/exhaustive.hpp"
#include "tests/rules/random_graph.hpp"
#include "tests/rules/run_case.hpp"

namespace {

using namespace ortool;

int run_file(const char* path) {
  try {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(ErrorCode::invalid, "the file cannot be read");
    std::ostringstream text;
    text << file.rdbuf();
    const std::vector<test::RuleCase> cases = test::parse_rule_cases(text.str());
    if (cases.empty()) throw Error(ErrorCode::invalid, "the file has no case");
    int failed = 0;
    for (const test::RuleCase& each : cases) {
      const std::vector<std::string> findings = test::run_rule_case(each);
      for (const std::string& finding : findings)
        std::printf("%s:%d: case '%s': %s\n", path, each.line, each.name.c_str(), finding.c_str());
      failed += !findings.empty();
    }
    std::printf("%s: %d of %zu cases failed\n", path, failed, cases.size());
    return failed;
  } catch (const std::exception& error) {
    std::printf("%s: %s\n", path, error.what());
    return 1;
  }
}

int list_missing(const std::filesystem::path& folder) {
  int missing = 0;
  const auto look_for = [&](std::string name) {
    for (char& character : name) character = character == '-' ? '_' : character;
    if (std::filesystem::exists(folder / (name + ".txt"))) return;
    std::printf("%s has no cases\n", name.c_str());
    ++missing;
  };
  for (const RuleGroup& group : whole_pipeline()) {
    for (const Rule& rule : group.rules) look_for(std::string(rule.name));
    for (const Pass& pass : group.passes) look_for(std::string(pass.name));
  }
  return missing;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs(
        "usage: rule_cases FILE... | --missing FOLDER | --exhaustive | --random COUNT [SEED]\n",
        stderr);
    return 2;
  }
  if (std::string_view(arguments[1]) == "--missing" && count == 3)
    return list_missing(arguments[2]) == 0 ? 0 : 1;
  if (std::string_view(arguments[1]) == "--exhaustive")
    return test::run_exhaustive_cases() == 0 ? 0 : 1;
  if (std::string_view(arguments[1]) == "--random" && count >= 3) {
    const std::uint64_t seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
    return test::run_random_graphs(seed, std::atoi(arguments[2])) == 0 ? 0 : 1;
  }
  int failed = 0;
  for (int i = 1; i < count; ++i) failed += run_file(arguments[i]);
  return failed == 0 ? 0 : 1;
}
