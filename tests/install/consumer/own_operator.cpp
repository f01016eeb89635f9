// A custom operator in another program: registered, computed by a provider, and run in a model.
#include <cstdio>
#include <vector>

#include "libcore/api/ortool.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/unary.hpp"
#include "libcore/text/parse.hpp"
#include "providers/provider_list.hpp"

namespace {

/// x, or x / 4 where x is negative.
struct Bend : ortool::ElementwiseUnary {
  static const ortool::OpSchema schema;
};

constinit const ortool::OpSchema Bend::schema = {"Bend",
                                                 "my.domain",
                                                 {{.since = 1,
                                                   .inputs = {{"x", "T"}},
                                                   .outputs = {{"y", "T"}},
                                                   .types = {{"T", ortool::types::floats}}}}};

class PreparedBend : public ortool::Prepared {
 public:
  explicit PreparedBend(std::int64_t count) : count_(count) {}
  void run(const ortool::RunContext& context) const override {
    const float* x = context.input<float>(0);
    float* y = context.output<float>(0);
    for (std::int64_t i = 0; i < count_; ++i) y[i] = x[i] < 0 ? x[i] / 4 : x[i];
  }

 private:
  std::int64_t count_;
};

class BendKernel : public ortool::Kernel {
 public:
  std::string_view name() const override { return "bend"; }
  ortool::PreparedPtr prepare(const ortool::PrepareContext& context) const override {
    return std::make_unique<PreparedBend>(context.inputs[0].shape.element_count());
  }
};

/// Claims Bend of float32 only.
class OwnProvider : public ortool::Provider {
 public:
  std::string_view name() const override { return "own"; }
  std::string version() const override { return "1"; }
  std::vector<ortool::KernelDescription> kernels() const override {
    return {{"bend", "my.domain", "Bend", "baseline", "float32"}};
  }
  ortool::Claims claims(const ortool::Graph& graph) const override {
    ortool::Claims claims;
    for (const ortool::Node& node : graph.nodes()) {
      const bool is_mine = node.op_type() == "Bend" && node.domain() == "my.domain" &&
                           ortool::NodeView(node).input_type(0) == ortool::DataType::float32;
      if (is_mine) {
        claims.taken.push_back({{&node}});
      } else {
        claims.refused.push_back({&node, "only Bend of float32 is computed here"});
      }
    }
    return claims;
  }
  ortool::KernelPtr compile(const ortool::NodeView&, const ortool::CompileContext&) const override {
    return std::make_unique<BendKernel>();
  }
};

}  // namespace

int main() {
  ortool::register_op(ortool::op_entry<Bend>({.set = {ortool::OpTrait::elementwise}}));
  ortool::SessionOptions options;
  options.providers = ortool::default_providers();
  options.providers.insert(options.providers.begin(), std::make_shared<OwnProvider>());
  const ortool::Session session(
      ortool::parse_model(R"(<ir_version: 8, opset_import: ["" : 18, "my.domain" : 1]>
g (float[2] x) => (float[2] y) { a = Abs (x) b = Neg (a) y = my.domain.Bend (b) })"),
      options);
  const std::vector<float> x = {4, -8};
  const auto outputs = session.run({{"x", ortool::Tensor::of<float>(ortool::Shape{2}, x)}}, {});
  for (const float y : outputs.front().tensor().data<float>())
    std::printf("%g ", static_cast<double>(y));
}
