// flow_graphs: checks random models whose control-flow bodies hold rule and operator cases.
// flow_graphs COUNT [SEED]: runs them in sessions at every level; exit code 1 if one differs.
// flow_graphs --write FOLDER COUNT [SEED]: also writes them as files, with inputs and outputs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "tests/flow/check_models.hpp"

int main(int count, char** arguments) {
  ortool::test::CheckOptions options;
  int next = 1;
  if (count > 3 && std::string_view(arguments[1]) == "--write") {
    options.folder = arguments[2];
    next = 3;
  }
  if (next >= count) {
    std::fputs("usage: flow_graphs [--write FOLDER] COUNT [SEED]\n", stderr);
    return 2;
  }
  options.count = std::atoi(arguments[next]);
  if (next + 1 < count) options.seed = std::strtoull(arguments[next + 1], nullptr, 10);
  options.testdata = ORTOOL_TESTDATA;
  try {
    return ortool::test::check_flow_models(options) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
