// Product epilogue: which nodes after convolutions and products are fused, and which must not be.
#include "libcore/provider/product_epilogue.hpp"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "providers/cpu/cpu_provider.hpp"

namespace ortool {
namespace {

/// Builds a graph whose tensors are all float32.
class GraphBuilder {
 public:
  GraphBuilder() {
    model_.ir_version = 10;
    model_.graph = std::make_unique<Graph>("test");
    model_.graph->set_opsets({{"", 15}});
  }

  Value& input(Dimensions shape) {
    return graph().add_input({}, ValueType::tensor(DataType::float32, std::move(shape)));
  }
  Value& constant(Shape shape) {
    Tensor tensor(DataType::float32, std::move(shape));
    for (float& value : tensor.mutable_data<float>()) value = 0.5F;
    return graph().add_constant({}, tensor);
  }
  Value& node(std::string_view op_type, std::vector<Value*> inputs) {
    Value& output = graph().add_value({});
    Value* outputs[] = {&output};
    graph().add_node(op_type, "", inputs, outputs);
    return output;
  }
  Value& normalized(Value& x, std::int64_t channels) {
    return node("BatchNormalization", {&x, &constant({channels}), &constant({channels}),
                                       &constant({channels}), &constant({channels})});
  }

  /// The sizes of the groups that the cpu provider claims, with `output` as the graph's output.
  std::vector<std::size_t> groups(Value& output) {
    graph().add_output(output);
    infer_shapes(model_);
    std::vector<std::size_t> sizes;
    for (const Claim& claim : make_cpu_provider(cpu::Isa::baseline)->claims(graph()).taken)
      sizes.push_back(claim.members.size());
    return sizes;
  }

  Graph& graph() { return *model_.graph; }

 private:
  Model model_;
};

using Sizes = std::vector<std::size_t>;

const Dimension batch = Dimension::symbol("batch");

}  // namespace

TEST_CASE("a convolution takes normalization, residual and activation") {
  GraphBuilder make;
  Value& x = make.input({batch, 4, 8, 8});
  Value& skip = make.input({batch, 6, 8, 8});
  Value& conv = make.node("Conv", {&x, &make.constant({6, 4, 1, 1}), &make.constant({6})});
  Value& sum = make.node("Add", {&skip, &make.normalized(conv, 6)});
  CHECK(make.groups(make.node("Relu", {&sum})) == Sizes{4});
}

TEST_CASE("nothing is taken behind an activation") {
  GraphBuilder make;
  Value& x = make.input({batch, 4, 8, 8});
  Value& relu = make.node("Relu", {&make.node("Conv", {&x, &make.constant({6, 4, 1, 1})})});
  CHECK(make.groups(make.normalized(relu, 6)) == Sizes{2, 1});
}

TEST_CASE("a result with a second reader stays apart") {
  GraphBuilder make;
  Value& x = make.input({batch, 4, 8, 8});
  Value& conv = make.node("Conv", {&x, &make.constant({6, 4, 1, 1})});
  make.graph().add_output(make.node("Sigmoid", {&conv}));
  CHECK(make.groups(make.node("Relu", {&conv})) == Sizes{1, 1, 1});
}

TEST_CASE("weights that come at run time cannot be scaled, but the sums can be activated") {
  GraphBuilder make;
  Value& x = make.input({batch, 4, 8, 8});
  Value& weights = make.input({6, 4, 1, 1});
  Value& conv = make.node("Conv", {&x, &weights});
  CHECK(make.groups(make.node("Relu", {&make.normalized(conv, 6)})) == Sizes{1, 1, 1});
  GraphBuilder other;
  Value& y = other.node("Conv", {&other.input({batch, 4, 8, 8}), &other.input({6, 4, 1, 1})});
  CHECK(other.groups(other.node("Relu", {&y})) == Sizes{2});
}

TEST_CASE("only one of two convolutions takes the sum of both") {
  GraphBuilder make;
  Value& x = make.input({batch, 4, 8, 8});
  Value& a = make.node("Conv", {&x, &make.constant({6, 4, 1, 1})});
  Value& b = make.node("Conv", {&x, &make.constant({6, 4, 1, 1})});
  CHECK(make.groups(make.node("Add", {&a, &b})) == Sizes{2, 1});
}

TEST_CASE("a tensor of another shape is not a residual") {
  GraphBuilder make;
  Value& x = make.input({batch, 4, 8, 8});
  Value& skip = make.input({1, 6, 8, 8});
  Value& conv = make.node("Conv", {&x, &make.constant({6, 4, 1, 1})});
  CHECK(make.groups(make.node("Add", {&conv, &skip})) == Sizes{1, 1});
}

TEST_CASE("a constant a channel is taken in the shape that keeps the result's") {
  for (const Shape& shape : {Shape{6, 1, 1}, Shape{1, 6, 1, 1}, Shape{6}, Shape{1, 1, 6, 1, 1}}) {
    GraphBuilder make;
    Value& x = make.input({batch, 4, 8, 8});
    Value& conv = make.node("Conv", {&x, &make.constant({6, 4, 1, 1})});
    Value& sum = make.node("Add", {&conv, &make.constant(shape)});
    const bool fits = shape == Shape{6, 1, 1} || shape == Shape{1, 6, 1, 1};
    INFO(shape.to_string());
    if (shape == Shape{6}) continue;  // it does not broadcast to a width of 8
    CHECK(make.groups(sum) == (fits ? Sizes{2} : Sizes{1, 1}));
  }
}

TEST_CASE("a matrix product takes a bias, a residual and an activation") {
  GraphBuilder make;
  Value& x = make.input({batch, 7, 4});
  Value& skip = make.input({batch, 7, 6});
  Value& product = make.node("MatMul", {&x, &make.constant({4, 6})});
  Value& biased = make.node("Add", {&make.constant({6}), &product});
  Value& sum = make.node("Add", {&biased, &skip});
  CHECK(make.groups(make.node("Relu", {&sum})) == Sizes{4});
}

TEST_CASE("a bias for the rows of a product by a vector is no bias for its columns") {
  GraphBuilder make;
  Value& product = make.node("MatMul", {&make.input({6, 6}), &make.constant({6})});
  CHECK(make.groups(make.node("Add", {&product, &make.constant({6, 6})})) == Sizes{1, 1});
}

}  // namespace ortool
