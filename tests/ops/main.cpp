// op_cases [--digests] FILE...: runs operator cases; exit code 1 if one fails or a file has none.
// --digests prints the SHA-256 of every computed tensor, to compare two builds.
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string_view>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/format.hpp"
#include "tests/ops/run_case.hpp"

namespace {

using namespace ortool;

constexpr std::size_t max_findings = 4;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::invalid, "the file cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the number of failed cases; a file without valid cases counts as one.
int run_file(const char* path, ThreadPool& pool, bool has_digests) {
  try {
    const std::vector<test::OpCase> cases = test::parse_case_file(read_file(path));
    if (cases.empty()) throw Error(ErrorCode::invalid, "the file has no case");
    int failed = 0;
    for (const test::OpCase& each : cases) {
      std::vector<std::string> digests;
      const std::vector<std::string> findings =
          test::run_case(each, pool, has_digests ? &digests : nullptr);
      for (const std::string& digest : digests) std::printf("%s: %s\n", path, digest.c_str());
      for (std::size_t i = 0; i < findings.size() && i < max_findings; ++i) {
        std::printf("%s:%d: case '%s': %s\n", path, each.line, each.name.c_str(),
                    escape_control_characters(findings[i]).c_str());
      }
      if (findings.size() > max_findings)
        std::printf("  and %zu findings more of this case\n", findings.size() - max_findings);
      failed += !findings.empty();
    }
    std::printf("%s: %d of %zu cases failed, up to %s\n", path, failed, cases.size(),
                std::string(cpu::isa_name(cpu::best_isa())).c_str());
    return failed;
  } catch (const std::exception& error) {
    std::printf("%s: %s\n", path, error.what());
    return 1;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const bool has_digests = count > 1 && std::string_view(arguments[1]) == "--digests";
  if (count < (has_digests ? 3 : 2)) {
    std::fputs("usage: op_cases [--digests] FILE...\n", stderr);
    return 2;
  }
  ThreadPool pool(4);
  int failed = 0;
  for (int i = has_digests ? 2 : 1; i < count; ++i)
    failed += run_file(arguments[i], pool, has_digests);
  return failed == 0 ? 0 : 1;
}
