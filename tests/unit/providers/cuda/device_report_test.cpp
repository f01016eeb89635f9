// Device reports of the cuda provider on an emulated device: figures of runs, and times of nodes.
#include "libcore/provider/device/device_report.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "libcore/api/bench.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/measure/bench/node_profile.hpp"
#include "libcore/text/parse.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::EmulatedSession;

namespace {

/// A product with its epilogue, a chain of two nodes, a norm, and a node for the cpu.
constexpr std::string_view model = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[N,3] x) => (float[N,2] y, int64[2,K] at)
  <float[3,2] w = {1, -2, 3, 4, -5, 6}, float[2] b = {0.5, -0.5}> {
    [product] p = MatMul (x, w)
    [sum] s = Add (p, b)
    [rectify] r = Relu (s)
    [norm] n = Softmax (r)
    [root] q = Sqrt (n)
    [round] y = Floor (q)
    [find] at = NonZero (y)
  })";

const ProfileEvent* find_event(const Profile& profile, std::string_view node) {
  const auto found = std::find_if(profile.events.begin(), profile.events.end(),
                                  [&](const ProfileEvent& event) { return event.node == node; });
  return found != profile.events.end() ? &*found : nullptr;
}

std::vector<std::string_view> group_of(const DeviceReport& report, std::string_view label) {
  std::vector<std::string_view> names;
  for (const DeviceEvent& event : report.events) {
    if (event.label() != label) continue;
    for (const Node* node : event.nodes) names.push_back(node->name());
  }
  return names;
}

DeviceFigures figures_of(const Session& session, const NamedValues& inputs) {
  DeviceReport report;
  const DeviceReportScope scope(report);
  session.run(inputs, {});
  return report.figures;
}

}  // namespace

TEST_CASE("a run tells what the cuda device took, if it is asked") {
  const EmulatedSession emulated(model);
  const NamedValues inputs = {{"x", random_tensor(Shape{9, 3}, 1)}};
  for (int run = 0; run < 3; ++run) {
    const DeviceFigures figures = figures_of(*emulated.session, inputs);
    CHECK(figures.kernels == 1);
    CHECK(figures.copy_in_ns >= 0);
    CHECK(figures.compute_ns > 0);
    CHECK(figures.copy_out_ns >= 0);
    CHECK(figures.memory_bytes == emulated.device->memory().peak_bytes);
  }
  CHECK(emulated.device->counts().replays == 2);
  CHECK(figures_of(*make_session(model), inputs).kernels == 0);
}

TEST_CASE("a profile of the cuda device has an event for each node that starts a kernel") {
  const EmulatedSession emulated(model);
  const NamedValues inputs = {{"x", random_tensor(Shape{9, 3}, 1)}};
  const auto expected = emulated.session->run(inputs, {});
  emulated.session->run(inputs, {});
  Profile profile;
  DeviceReport report;
  const auto found = [&] {
    const DeviceReportScope scope(report);
    return emulated.session->run(inputs, {.profile = &profile});
  }();
  CHECK(same_bits(found[0].tensor(), expected[0].tensor()));

  std::vector<std::string_view> names;
  for (const ProfileEvent& event : profile.events) names.push_back(event.node);
  CHECK(names == std::vector<std::string_view>{"(copy in)", "product", "norm", "root", "(copy out)",
                                               "find"});
  const ProfileEvent* product = find_event(profile, "product");
  REQUIRE(product != nullptr);
  CHECK(group_of(report, "product") == std::vector<std::string_view>{"product", "sum", "rectify"});
  CHECK(product->op_type == "MatMul");
  CHECK(product->provider == "cuda");
  CHECK(product->kernel == "cublaslt_product");
  CHECK(group_of(report, "root") == std::vector<std::string_view>{"root", "round"});
  CHECK(group_of(report, "(copy in)").empty());
  CHECK(report.figures.kernels == 1);
  // Later runs replay the graph as before.
  const std::int64_t replays = emulated.device->counts().replays;
  emulated.run(inputs);
  CHECK(emulated.device->counts().replays == replays + 1);
}

TEST_CASE("rows of a node profile name the nodes of the file that a cuda kernel computes") {
  const EmulatedSession emulated(model);
  const auto runner = make_session_runner(*emulated.session, {},
                                          {{"x", random_tensor(Shape{9, 3}, 1)}}, RunOptions{}, 1);
  const StopToken stop;
  const NodeProfile profile = profile_nodes(
      "cuda", *runner, {.gflops = 1, .memory_gbytes_per_s = 1, .cache_gbytes_per_s = 1},
      [] { return parse_model(model); }, stop);
  CHECK(profile.rows.size() == 6);
  for (const NodeRow& row : profile.rows) {
    if (row.node == "product") {
      CHECK(row.origin == std::vector<std::string>{"product", "sum", "rectify"});
      CHECK(row.flops == 2 * 9 * 3 * 2);
      CHECK(row.bound == Bound::unknown);
    } else if (row.node == "(copy in)") {
      CHECK(row.origin.empty());
      CHECK(row.op_type.empty());
    } else if (row.node == "find") {
      CHECK(row.origin == std::vector<std::string>{"find"});
      CHECK(row.provider == "cpu");
    }
  }
}

TEST_CASE("bench tells the times on the cuda device apart, and nothing for the cpu") {
  const EmulatedSession emulated(model);
  const auto cpu = make_session(model);
  const Session* const sessions[] = {emulated.session.get(), cpu.get()};
  BenchOptions options;
  options.warmup = 1;
  options.iterations = 5;
  const std::vector<BenchReport> reports =
      bench(sessions, {{"x", random_tensor(Shape{9, 3}, 1)}}, options);
  REQUIRE(reports[0].device.has_value());
  CHECK(reports[0].device->compute_ms > 0);
  CHECK(reports[0].device->memory_bytes > 0);
  CHECK_FALSE(reports[1].device.has_value());
}

TEST_CASE("clocks of the cuda device are read for bench alone") {
  const EmulatedSession emulated(model);
  const NamedValues inputs = {{"x", random_tensor(Shape{9, 3}, 1)}};
  DeviceReport report;
  {
    const DeviceReportScope scope(report);
    emulated.session->run(inputs, {});
  }
  CHECK_FALSE(report.clocks.has_value());
  CHECK(emulated.device->counts().clock_reads == 0);
  const Session* const sessions[] = {emulated.session.get()};
  BenchOptions options;
  options.warmup = 1;
  options.iterations = 5;
  const std::vector<BenchReport> reports = bench(sessions, inputs, options);
  CHECK(emulated.device->counts().clock_reads == 2);
  REQUIRE(reports[0].device.has_value());
  REQUIRE(reports[0].device->clocks.has_value());
  const DeviceClocks& clocks = *reports[0].device->clocks;
  CHECK(clocks.clock_mhz == 1410);
  CHECK(clocks.max_clock_mhz == 1980);
  CHECK(clocks.memory_clock_mhz == 2619);
  CHECK(clocks.temperature_c == 61);
  CHECK(clocks.throttled_by == std::vector<std::string>{"power limit"});
}
