// The ortool program with an emulated device as its GPU, for conformance tests and transcripts.
// With ORTOOL_EMULATION_COUNTS set, it prints what the device was asked to do to stderr at the end.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "apps/ortool/commands/commands.hpp"
#include "apps/ortool/program.hpp"
#include "apps/ortool/report/standard_output.hpp"
#include "providers/cuda/cuda_provider.hpp"
#include "tests/cuda_emulation/emulated_device.hpp"

int main(int argc, char** argv) {
  using namespace ortool;
  std::shared_ptr<test::EmulatedDevice> device;
  cuda::replace_device([&device](std::int64_t, std::int64_t limit_bytes) {
    device =
        std::make_shared<test::EmulatedDevice>(test::EmulationOptions{.limit_bytes = limit_bytes});
    return device;
  });
  fill_closed_streams();
  const int code = run_program(make_commands, argc, argv);
  if (device != nullptr && std::getenv("ORTOOL_EMULATION_COUNTS") != nullptr) {
    const test::EmulationCounts& counts = device->counts();
    std::fprintf(
        stderr,
        "emulated: %lld kernels, %lld products, %lld convolutions, %lld copies, %lld uploads "
        "(%lld bytes), %lld downloads (%lld bytes), %lld captures, %lld replays\n",
        static_cast<long long>(counts.launches), static_cast<long long>(counts.products),
        static_cast<long long>(counts.convolutions), static_cast<long long>(counts.copies),
        static_cast<long long>(counts.uploads), static_cast<long long>(counts.uploaded_bytes),
        static_cast<long long>(counts.downloads), static_cast<long long>(counts.downloaded_bytes),
        static_cast<long long>(counts.captures), static_cast<long long>(counts.replays));
  }
  return code;
}
