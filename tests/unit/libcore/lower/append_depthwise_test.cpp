// Depthwise post-ops: which groups are merged, and the inputs and layouts of merged ones.
#include "libcore/lower/append_depthwise.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/post_op_provider.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr Layout appended_layout = Layout::blocked16;

/// Appends a depthwise Conv to any other.
class AppendingProvider : public PostOpProvider {
 public:
  std::string_view name() const override { return "appending"; }
  std::string version() const override { return "1"; }
  Claims claims(const Graph&) const override { return {}; }
  bool appends(const NodeView& group, const NodeView& next) const override {
    const auto is_depthwise = [](const Node& node) {
      return node.op_type() == "Conv" && node.find_attribute("group") != nullptr;
    };
    return group.node().op_type() == "Conv" && !is_depthwise(group.node()) &&
           is_depthwise(next.node());
  }
  KernelPtr compile(const NodeView&, const CompileContext&) const override { return nullptr; }
  std::vector<KernelDescription> kernels() const override { return {}; }
};

struct Appended {
  std::unique_ptr<Model> model;
  std::vector<PlacedGroup> groups;
  std::int64_t count = 0;
};

/// Groups of single nodes, all blocked but for the image that comes first.
Appended append(std::string_view nodes, std::string_view outputs, const Provider& provider) {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[1,16,8,8] x, float[16,16,1,1] w, float[16,1,3,3] v, float[16] b) => (" +
      std::string(outputs) + ") {" + std::string(nodes) + "}";
  Appended result{inferred_model(text), {}, 0};
  for (const Node& node : result.model->graph->nodes()) {
    PlacedGroup& group = result.groups.emplace_back(PlacedGroup{NodeView(node), &provider, {}});
    const Layout first = node.input(0)->producer() == nullptr ? Layout::plain : appended_layout;
    group.view.set_layouts({.inputs = {first}, .outputs = {appended_layout}, .nanoseconds = 5});
  }
  result.count = append_depthwise(result.groups);
  return result;
}

std::string operators(const Appended& appended) {
  std::string text;
  for (const PlacedGroup& group : appended.groups) {
    text += text.empty() ? "" : " ";
    for (const Node* member : group.view.members()) {
      text += member == group.view.members().front() ? "" : "+";
      text += member->op_type();
    }
  }
  return text;
}

constexpr std::string_view image_out = "float[1,16,8,8] y";
constexpr std::string_view window = "Conv <group = 16, pads = [1, 1, 1, 1]>";

TEST_CASE("A depthwise convolution is merged with the one that it alone reads") {
  const AppendingProvider provider;
  const Appended appended =
      append("a = Conv (x, w, b) c = " + std::string(window) + " (a, v, b) y = Exp (c)", image_out,
             provider);
  CHECK(appended.count == 1);
  CHECK(operators(appended) == "Conv+Conv Exp");
  const NodeView& merged = appended.groups[0].view;
  std::string inputs;
  for (const Value* input : merged.inputs()) inputs += std::string(input->name()) + " ";
  CHECK(inputs == "x w b v b ");
  REQUIRE(merged.outputs().size() == 1);
  CHECK(merged.outputs()[0]->name() == "c");
  CHECK(merged.layouts().input(0) == Layout::plain);
  CHECK(merged.layouts().output(0) == appended_layout);
  CHECK(merged.layouts().nanoseconds == 10);
}

TEST_CASE("The merged group stands where the depthwise convolution stood") {
  const AppendingProvider provider;
  const Appended appended =
      append("a = Conv (x, w) d = Exp (x) c = " + std::string(window) + " (a, v) y = Add (c, d)",
             image_out, provider);
  CHECK(operators(appended) == "Exp Conv+Conv Add");
}

TEST_CASE("Chains are merged in pairs") {
  const AppendingProvider provider;
  const std::string depthwise(window);
  const Appended appended =
      append("a = Conv (x, w) c = " + depthwise + " (a, v) d = Conv (c, w) e = " + depthwise +
                 " (d, v) f = " + depthwise + " (e, v) y = Exp (f)",
             image_out, provider);
  CHECK(appended.count == 2);
  CHECK(operators(appended) == "Conv+Conv Conv+Conv Conv Exp");
}

TEST_CASE("Groups are not merged if the value between them is read elsewhere") {
  const AppendingProvider provider;
  const std::string nodes = "a = Conv (x, w) c = " + std::string(window) + " (a, v) ";
  CHECK(append(nodes + "y = Add (c, a)", image_out, provider).count == 0);
  CHECK(append(nodes + "y = Exp (c)", "float[1,16,8,8] y, float[1,16,8,8] a", provider).count == 0);
}

TEST_CASE("Groups are not merged across layouts or providers") {
  const AppendingProvider provider;
  const AppendingProvider other;
  const std::string nodes = "a = Conv (x, w) c = " + std::string(window) + " (a, v) y = Exp (c)";
  Appended appended = append(nodes, image_out, provider);
  REQUIRE(appended.count == 1);
  std::vector<PlacedGroup> groups;
  for (const Node& node : appended.model->graph->nodes())
    groups.push_back({NodeView(node), &provider, {}});
  groups[1].view.set_layouts(
      {.inputs = {appended_layout}, .outputs = {appended_layout}, .nanoseconds = 0});
  CHECK(append_depthwise(groups) == 0);
  groups[0].view.set_layouts({.inputs = {}, .outputs = {appended_layout}, .nanoseconds = 0});
  groups[1].provider = &other;
  CHECK(append_depthwise(groups) == 0);
  groups[1].provider = &provider;
  CHECK(append_depthwise(groups) == 1);
}

}  // namespace
}  // namespace ortool
