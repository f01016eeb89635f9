// The ortool program.
#include <cstdio>
#include <string>

#include "libcore/base/version.hpp"

int main() {
  std::printf("ortool %s\n", std::string(ortool::version()).c_str());
}
