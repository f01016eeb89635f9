// The smallest program that uses the library: it prints the version it runs with.
#include <cstdio>
#include <string>

#include "libcore/base/version.hpp"
#include "libcore/graph/graph.hpp"
#include "providers/provider_list.hpp"

int main() {
  if (ortool::provider_list().empty()) return 1;
  std::printf("%s\n", std::string(ortool::version()).c_str());
}
