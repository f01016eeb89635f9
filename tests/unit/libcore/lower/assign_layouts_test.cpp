// Assigning layouts: which are chosen, where reorders go, and that results do not depend on them.
#include "libcore/lower/assign_layouts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/lower/node_predicates.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr Layout plain = Layout::plain;
constexpr Layout blocked = Layout::blocked16;

/// Conv gains from blocked layouts, Relu and Add accept them, all else is plain. Conv rounds what
/// it reads to bfloat16 if `has_bfloat16`, Add reads it.
class BlockingProvider : public Provider {
 public:
  std::string_view name() const override { return "blocking"; }
  std::string version() const override { return "1"; }
  Claims claims(const Graph& graph) const override {
    Claims claims;
    for (const Node& node : graph.nodes()) claims.taken.push_back({{&node}});
    return claims;
  }
  std::vector<LayoutChoice> layouts(const NodeView& group) const override {
    if (group.node().op_type() == "Conv") {
      std::vector<LayoutChoice> choices = {{{}, {}, 2 * conv_gain_ns},
                                           {{blocked}, {blocked}, conv_gain_ns}};
      if (has_bfloat16) {
        choices[1].bfloat16_inputs = choices[1].rounded_inputs = 1;
        choices[1].may_write_bfloat16 = true;
      }
      return choices;
    }
    if (group.node().op_type() == "Add" && has_bfloat16) {
      return {{},
              {.inputs = {blocked, blocked},
               .outputs = {blocked},
               .bfloat16_inputs = 3,
               .may_write_bfloat16 = true}};
    }
    if (group.node().op_type() == "Relu") return {{}, {{blocked}, {blocked}, 0}};
    if (group.node().op_type() == "Add") return {{}, {{blocked, blocked}, {blocked}, 0}};
    return {};
  }
  KernelPtr compile(const NodeView&, const CompileContext&) const override { return nullptr; }
  std::vector<KernelDescription> kernels() const override { return {}; }

  double conv_gain_ns = 1e9;
  bool has_bfloat16 = false;
};

/// The operators in execution order, blocked ones with the layouts they read and write:
/// "Conv[plain>blocked16]".
std::string assigned(std::string_view nodes, std::string_view outputs,
                     const BlockingProvider& provider = {}) {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[1,16,8,8] x, float[16,16,1,1] w) => (" +
      std::string(outputs) + ") {" + std::string(nodes) + "}";
  const std::unique_ptr<Model> model = inferred_model(text);
  Graph& graph = *model->graph;
  std::vector<PlacedGroup> groups;
  for (const Node& node : graph.nodes()) groups.push_back({NodeView(node), &provider, {}});
  assign_layouts(graph, groups, provider);
  std::string result;
  for (const PlacedGroup& group : groups) {
    result += (result.empty() ? "" : " ") + std::string(group.view.node().op_type());
    const LayoutChoice& layouts = group.view.layouts();
    if (!layouts.is_plain()) {
      result += "[" + std::string(layout_name(layouts.input(0))) + ">" +
                std::string(layout_name(layouts.output(0))) + "]";
    }
  }
  return result;
}

constexpr std::string_view image = "float[1,16,8,8] y";

TEST_CASE("A reorder stands on either side of blocked nodes") {
  CHECK(assigned("a = Conv (x, w) y = Exp (a)", image) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16] Reorder[blocked16>plain] Exp");
  CHECK(assigned("y = Exp (x)", image) == "Exp");
}

TEST_CASE("Nodes that take any layout go along") {
  CHECK(assigned("a = Conv (x, w) b = Relu (a) c = Relu (b) d = Conv (c, w) y = Exp (d)", image) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16] Relu[blocked16>blocked16] "
        "Relu[blocked16>blocked16] Conv[blocked16>blocked16] Reorder[blocked16>plain] Exp");
}

TEST_CASE("One reorder serves all readers") {
  CHECK(assigned("a = Conv (x, w) b = Conv (x, w) c = Add (a, b) y = Exp (c) z = Abs (c)",
                 "float[1,16,8,8] y, float[1,16,8,8] z") ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16] Conv[blocked16>blocked16] "
        "Add[blocked16>blocked16] Reorder[blocked16>plain] Exp Abs");
}

TEST_CASE("Results of the model are made plain") {
  CHECK(assigned("y = Conv (x, w)", image) == "Conv");
  CHECK(assigned("a = Conv (x, w) y = Relu (a)", image) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16] Reorder[blocked16>plain] Relu");
  CHECK(assigned("a = Conv (x, w) y = Exp (a)", "float[1,16,8,8] y, float[1,16,8,8] a") ==
        "Conv Exp");
}

TEST_CASE("What gains less than its reorders cost stays plain") {
  BlockingProvider provider;
  provider.conv_gain_ns = 100;
  CHECK(assigned("a = Conv (x, w) y = Exp (a)", image, provider) == "Conv Exp");
  // Together they gain more than the reorders cost.
  std::string many = "a0 = Conv (x, w) ";
  for (int i = 0; i < 40; ++i) {
    const std::string from = "a" + std::to_string(i);
    many += "a" + std::to_string(i + 1) + " = Conv (" + from + ", w) ";
  }
  const std::string assigned_names = assigned(many + "y = Exp (a40)", image, provider);
  CHECK(assigned_names.find("Conv Conv") == std::string::npos);
  CHECK(assigned_names.starts_with("Reorder[plain>blocked16] Conv[blocked16"));
}

TEST_CASE("Nodes that gain nothing do not keep their neighbors plain") {
  // Each Conv alone gains less than two reorders cost, the three together gain more.
  BlockingProvider provider;
  provider.conv_gain_ns = 1000;
  CHECK(assigned("a = Conv (x, w) b = Relu (a) c = Conv (b, w) d = Relu (c) e = Conv (d, w) "
                 "y = Exp (e)",
                 image, provider) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16] Relu[blocked16>blocked16] "
        "Conv[blocked16>blocked16] Relu[blocked16>blocked16] Conv[blocked16>blocked16] "
        "Reorder[blocked16>plain] Exp");
}

TEST_CASE("What products round to bfloat16 is stored in it where all readers can read it") {
  BlockingProvider provider;
  provider.has_bfloat16 = true;
  // Of the value between two convolutions; the last one is read by Exp.
  CHECK(assigned("a = Conv (x, w) b = Conv (a, w) y = Exp (b)", image, provider) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16_bfloat16] "
        "Conv[blocked16_bfloat16>blocked16] Reorder[blocked16>plain] Exp");
  // Relu reads float32, whatever else does.
  CHECK(assigned("a = Conv (x, w) b = Conv (a, w) c = Relu (a) d = Add (b, c) y = Exp (d)", image,
                 provider) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16] Conv[blocked16>blocked16] "
        "Relu[blocked16>blocked16] Add[blocked16>blocked16] Reorder[blocked16>plain] Exp");
  // Add reads bfloat16, but what it alone reads would be rounded for it only.
  CHECK(assigned("a = Conv (x, w) b = Conv (a, w) c = Add (a, b) y = Exp (c)", image, provider) ==
        "Reorder[plain>blocked16] Conv[blocked16>blocked16_bfloat16] "
        "Conv[blocked16_bfloat16>blocked16] Add[blocked16_bfloat16>blocked16] "
        "Reorder[blocked16>plain] Exp");
}

TEST_CASE("Reorders are nodes of the graph that nothing but the session knows") {
  const BlockingProvider provider;
  const std::unique_ptr<Model> model = inferred_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,16,8,8] x, float[16,16,1,1] w) => (float[1,16,8,8] y) {
      a = Conv (x, w) y = Exp (a) })");
  Graph& graph = *model->graph;
  std::vector<PlacedGroup> groups;
  for (const Node& node : graph.nodes()) groups.push_back({NodeView(node), &provider, {}});
  assign_layouts(graph, groups, provider);
  REQUIRE(graph.node_count() == 4);
  const Node& first = *graph.first_node();
  CHECK(is_reorder(first));
  CHECK(first.name() == "x:blocked16");
  CHECK(first.next()->input(0)->name() == "x:blocked16");
  CHECK(first.next()->next()->name() == "a:plain");
  CHECK(graph.opset("ortool") > 0);
}

/// A network to run with and without layouts; 22 channels do not fill their blocks.
constexpr std::string_view network = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[N,3,H,W] x) =>
    (float[N,22] means, float[N,44,P,Q] joined, float[N,22,R,S] averages)
  <float[22,3,3,3] w0, float[22,1,3,3] w1, float[22,22,1,1] w2, float[22] b, float half = {0.5}> {
    a = Conv <pads = [1,1,1,1]> (x, w0, b)
    r = Relu (a)
    d = Conv <pads = [1,1,1,1], group = 22> (r, w1)
    s = Sigmoid (d)
    p = Conv (s, w2, b)
    e = Add (p, r)
    f = Add (e, half)
    g0 = MaxPool <kernel_shape = [2,2], strides = [2,2]> (f)
    g1 = AveragePool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,0,0]> (f)
    h = Conv <pads = [1,1,1,1], strides = [2,2], kernel_shape = [3,3], group = 22> (f, w1)
    means4 = GlobalAveragePool (h)
    means = Flatten (means4)
    joined = Concat <axis = 1> (g0, g0)
    averages = Relu (g1)
  })";

std::vector<RunValue> run_network(bool optimize, std::int64_t batch, std::int64_t height,
                                  std::int64_t width) {
  std::string text(network);
  const auto replace = [&](std::string_view name, std::int64_t count) {
    std::string numbers;
    for (std::int64_t i = 0; i < count; ++i) {
      numbers +=
          (i == 0 ? "" : ", ") + std::to_string(0.3 * std::sin(static_cast<double>(i * 7 + count)));
    }
    const std::size_t place = text.find("] " + std::string(name) + ",") + 2;
    text.insert(place + name.size(), " = {" + numbers + "}");
  };
  replace("w0", 22 * 27);
  replace("w1", 22 * 9);
  replace("w2", 22 * 22);
  replace("b", 22);
  SessionOptions options = cpu_options();
  options.optimize = optimize ? OptimizeLevel::all : OptimizeLevel::none;
  const auto session = make_session(text, std::move(options));
  return session->run({{"x", random_tensor(Shape{batch, 3, height, width}, 5)}}, {});
}

TEST_CASE("A network gives the same results in any layout, for any image") {
  for (const auto& [batch, height, width] :
       {std::tuple{1, 32, 32}, std::tuple{2, 9, 14}, std::tuple{1, 4, 50}}) {
    const std::vector<RunValue> expected = run_network(false, batch, height, width);
    const std::vector<RunValue> found = run_network(true, batch, height, width);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i, batch, height, width);
      REQUIRE(found[i].tensor().shape() == expected[i].tensor().shape());
      const std::vector<float> a = floats(expected[i]);
      const std::vector<float> b = floats(found[i]);
      for (std::size_t j = 0; j < a.size(); ++j) REQUIRE(b[j] == Approx(a[j]).margin(1e-4));
    }
  }
}

TEST_CASE("Convolutions of one plain channel read it as it is, however many they are") {
  std::string numbers;
  for (int i = 0; i < 48 * 400; ++i) numbers += (i == 0 ? "" : ", ") + std::to_string(i % 5 - 2);
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,1,12800] x) => (float[1,48,P] y) <float[48,1,400] w = {)" +
                                    numbers + R"(}> {
      a = Conv <strides = [160]> (x, w) b = Conv <strides = [160]> (x, w) y = Add (a, b) })");
  std::string names;
  for (const Placement& each : session->placement()) names += each.node + " ";
  CHECK_THAT(names, !Catch::Contains("x:blocked"));
}

std::string numbers_of(int count) {
  std::string numbers;
  for (int i = 0; i < count; ++i) numbers += (i == 0 ? "" : ", ") + std::to_string(i % 5 - 2);
  return numbers;
}

/// Convolutions of 31 channels around `between`, which computes b from a.
std::string convolutions_around(const std::string& between) {
  return R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,31,40,48] x) => (float[N,C,H,W] y)
    <float[31,31,1,1] w = {)" +
         numbers_of(31 * 31) + R"(}, float[31,31,3,3] v = {)" + numbers_of(31 * 31 * 9) + R"(},
     float[4] doubled = {1, 1, 2, 2}, float[4] joined = {1, 1.01, 2, 1},
     int64[4] smaller = {1, 31, 30, 48}> {
      a = Conv (x, v) )" +
         between + " c = Conv (b, v) d = Conv (c, v) y = Conv (d, w) }";
}

TEST_CASE("Images are resized by their nearest pixels in blocks") {
  const std::string blocked_kernel = "resize_nearest_nchwc";
  const auto kernels_and_result = [](const std::string& between, OptimizeLevel level) {
    SessionOptions options = cpu_options();
    options.optimize = level;
    const auto session = make_session(convolutions_around(between), std::move(options));
    std::string kernels;
    for (const Placement& each : session->placement()) kernels += each.kernel + " ";
    const Tensor input = random_tensor(Shape{1, 31, 40, 48}, 7);
    return std::pair(kernels, floats(session->run({{"x", input}}, {})[0]));
  };
  for (const std::string between :
       {"b = Resize <mode = \"nearest\"> (a, , doubled)",
        "b = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
        "nearest_mode = \"floor\"> (a, , doubled)",
        "b = Resize <mode = \"nearest\", coordinate_transformation_mode = \"align_corners\"> (a, , "
        ", "
        "smaller)"}) {
    CAPTURE(between);
    const auto [kernels, found] = kernels_and_result(between, OptimizeLevel::all);
    const auto [plain_kernels, expected] = kernels_and_result(between, OptimizeLevel::none);
    CHECK_THAT(kernels, Catch::Contains(blocked_kernel));
    CHECK_THAT(plain_kernels, !Catch::Contains(blocked_kernel));
    REQUIRE(found.size() == expected.size());
    float largest = 0;
    for (const float each : expected) largest = std::max(largest, std::abs(each));
    REQUIRE(largest > 1);
    for (std::size_t i = 0; i < found.size(); ++i)
      REQUIRE(found[i] == Approx(expected[i]).margin(1e-3 * largest));
  }
  // A scale of the channels other than 1, though it keeps their number.
  const std::string between = "b = Resize <mode = \"nearest\"> (a, , joined)";
  CHECK_THAT(kernels_and_result(between, OptimizeLevel::all).first,
             !Catch::Contains(blocked_kernel));
}

TEST_CASE("Constants of one element for each channel are read as they are, in whole blocks") {
  const auto kernels_and_result = [](int channels, const std::string& between,
                                     OptimizeLevel level) {
    const std::string c = std::to_string(channels);
    SessionOptions options = cpu_options();
    options.optimize = level;
    const auto session = make_session(
        "<ir_version: 8, opset_import: [\"\" : 17]>\n"
        "g (float[1," +
            c + ",40,48] x) => (float[N,C,H,W] y) <float[" + c + "," + c + ",3,3] v = {" +
            numbers_of(channels * channels * 9) + "}, float[" + c + ",1,1] slopes = {" +
            numbers_of(channels) + "}, float[1," + c + ",1,1] four = {" + numbers_of(channels) +
            "}> { a = Conv (x, v) t = Tanh (a) " + between + " d = Conv (b, v) y = Conv (d, v) }",
        std::move(options));
    std::string kernels;
    for (const Placement& each : session->placement()) kernels += each.kernel + " ";
    const Tensor input = random_tensor(Shape{1, channels, 40, 48}, 7);
    return std::pair(kernels, floats(session->run({{"x", input}}, {})[0]));
  };
  for (const auto& [between, channels, is_blocked] :
       {std::tuple{"b = PRelu (t, slopes)", 32, true}, std::tuple{"b = PRelu (t, four)", 32, true},
        std::tuple{"b = Sub (four, t)", 32, true}, std::tuple{"b = Max (t, slopes)", 32, true},
        std::tuple{"b = PRelu (t, slopes)", 31, false}}) {
    CAPTURE(between, channels);
    const auto [kernels, found] = kernels_and_result(channels, between, OptimizeLevel::all);
    const auto [unused, expected] = kernels_and_result(channels, between, OptimizeLevel::none);
    static_cast<void>(unused);
    const bool has_plain = kernels.find("prelu_") != std::string::npos ||
                           kernels.find("sub_") != std::string::npos ||
                           kernels.find("max_") != std::string::npos;
    CHECK(has_plain != is_blocked);
    REQUIRE(found.size() == expected.size());
    float largest = 0;
    for (const float each : expected) largest = std::max(largest, std::abs(each));
    REQUIRE(largest > 1);
    for (std::size_t i = 0; i < found.size(); ++i)
      REQUIRE(found[i] == Approx(expected[i]).margin(1e-3 * largest));
  }
}

TEST_CASE("Means over all pixels read blocks, and functions are computed with the convolution") {
  const auto kernels_and_result = [](const std::string& mean, OptimizeLevel level) {
    SessionOptions options = cpu_options();
    options.optimize = level;
    const auto session = make_session(
        R"(
    <ir_version: 8, opset_import: ["" : 18]>
    g (float[1,31,40,48] x) => (float[N,C,H,W] y)
    <float[31,31,3,3] v = {)" +
            numbers_of(31 * 31 * 9) + R"(}, float[31,1,5,5] u = {)" + numbers_of(31 * 25) +
            R"(}, float scale = {0.01}, int64[2] pixels = {-1, 2}, int64[2] others = {1, 2}> {
      a = Conv (x, v) s = Sigmoid (a) b = Mul (a, s)
      c = Conv <group = 31> (b, u) t = Sigmoid (c) d = Mul (c, t)
      m = )" +
            mean + R"( n = Mul (m, scale) k = Sigmoid (n) e = Mul (d, k) y = Conv (e, v) })",
        std::move(options));
    std::string kernels;
    for (const Placement& each : session->placement()) kernels += each.kernel + " ";
    const Tensor input = random_tensor(Shape{1, 31, 40, 48}, 7);
    return std::pair(kernels, floats(session->run({{"x", input}}, {})[0]));
  };
  const std::string mean = "ReduceMean (d, pixels)";
  const auto [kernels, found] = kernels_and_result(mean, OptimizeLevel::all);
  const auto [plain_kernels, expected] = kernels_and_result(mean, OptimizeLevel::none);
  CHECK_THAT(kernels, Catch::Contains("reduce_mean_nchwc") && !Catch::Contains("swish"));
  CHECK_THAT(plain_kernels, !Catch::Contains("reduce_mean_nchwc"));
  REQUIRE(found.size() == expected.size());
  float largest = 0;
  for (const float each : expected) largest = std::max(largest, std::abs(each));
  REQUIRE(largest > 1);
  for (std::size_t i = 0; i < found.size(); ++i)
    REQUIRE(found[i] == Approx(expected[i]).margin(1e-3 * largest));
  CHECK_THAT(kernels_and_result("ReduceMean (d, others)", OptimizeLevel::all).first,
             !Catch::Contains("reduce_mean_nchwc"));
}

/// Names and contents of the values of a run.
class Recorder : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    values.emplace_back(node.output(index)->name(), value.tensor().owned());
  }
  std::vector<std::pair<std::string, Tensor>> values;
};

TEST_CASE("Observers see plain values under the names of the model") {
  std::string numbers;
  for (int i = 0; i < 17 * 17; ++i) numbers += (i == 0 ? "" : ", ") + std::to_string(i % 5 - 2);
  const std::string text = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,17,40,40] x) => (float[1,17,40,40] y) <float[17,17,1,1] w = {)" +
                           numbers + R"(}> {
      a = Conv (x, w) b = Conv (a, w) c = Conv (b, w) y = Sign (c) })";
  Recorder plain_values;
  Recorder values;
  for (const bool optimize : {false, true}) {
    SessionOptions options = cpu_options();
    options.optimize = optimize ? OptimizeLevel::all : OptimizeLevel::none;
    const auto session = make_session(text, std::move(options));
    RunOptions run;
    run.observer = optimize ? &values : &plain_values;
    session->run({{"x", random_tensor(Shape{1, 17, 40, 40}, 3)}}, run);
  }
  REQUIRE(values.values.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(values.values[i].first == plain_values.values[i].first);
    const std::span<const float> a = plain_values.values[i].second.data<float>();
    const std::span<const float> b = values.values[i].second.data<float>();
    REQUIRE(a.size() == b.size());
    if (i == 3) continue;  // its signs depend on sums near zero
    for (std::size_t j = 0; j < a.size(); ++j) REQUIRE(b[j] == Approx(a[j]).margin(1e-2));
  }
}

}  // namespace
}  // namespace ortool
