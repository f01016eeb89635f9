// Fuzzer: parses the bytes as a model in textual syntax; accepted text must round-trip.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"

namespace {

[[noreturn]] void stop(const char* what, const std::string& first, const std::string& second) {
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, first.c_str(), second.c_str());
  std::abort();
}

void parse_twice(std::string_view text) {
  const auto model = ortool::parse_model(text);
  ortool::verify(*model->graph);
  const std::string printed = ortool::print_model(*model);
  std::string again;
  try {
    again = ortool::print_model(*ortool::parse_model(printed));
  } catch (const ortool::Error& error) {
    stop(error.what(), printed, "");
  }
  if (again != printed) stop("printed, parsed and printed again differs", printed, again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    parse_twice({reinterpret_cast<const char*>(data), size});
  } catch (const ortool::Error& error) {
    if (error.code() == ortool::ErrorCode::interrupted) throw;
  }
  return 0;
}
