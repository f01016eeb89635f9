// Constant store: what it takes from a graph, what it shares, and when it frees.
#include "libcore/provider/constant_store.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/file/file.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr std::int64_t edge = 128;

/// Two products with one large matrix, a bias, and as many integers as a weight has elements.
struct Constants {
  Constants() : graph(*model->graph) {
    set("w", random_tensor(Shape{edge, edge}, 1));
    set("b", random_tensor(Shape{edge}, 2));
    set("n", Tensor(DataType::int64, Shape{edge, edge}));
  }
  void set(const char* name, Tensor tensor) {
    graph.set_constant(named(name), std::move(tensor));
    graph.make_default_constant(named(name));
  }
  Value& named(const char* name) { return *graph.find_value(name); }

  std::unique_ptr<Model> model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,128] x, float[128,128] w, float[128] b, int64[128,128] n) => (float[N,128] y, int64[128,128] m) {
      p = MatMul (x, w)
      q = Add (p, b)
      y = MatMul (q, w)
      m = Neg (n)
    })");
  Graph& graph;
};

TEST_CASE("weights move into the store, parameters stay in the graph too", "[constant_store]") {
  Constants constants;
  const ConstantStore store = ConstantStore::take(constants.graph);
  CHECK(constants.named("w").is_constant());
  CHECK_FALSE(constants.named("w").has_content());
  CHECK_THROWS_AS(constants.named("w").constant(), Error);
  CHECK(constants.named("w").type().shape->size() == 2);
  CHECK(constants.named("b").has_content());
  CHECK(constants.named("n").has_content());
  for (const char* name : {"w", "b", "n"})
    CHECK(store.find(constants.named(name))->shape() == store.operand(constants.named(name)).shape);
}

TEST_CASE("a weight is freed after its last use, unless a run reads it", "[constant_store]") {
  Constants constants;
  const std::weak_ptr<const void> content = [&] {
    const auto owner = std::make_shared<std::vector<std::byte>>(edge * edge * sizeof(float));
    constants.graph.set_constant(constants.named("w"),
                                 Tensor::view(DataType::float32, Shape{edge, edge}, *owner, owner));
    return std::weak_ptr<const void>(owner);
  }();
  const Value& w = constants.named("w");
  SECTION("both kernels have packed it") {
    ConstantStore store = ConstantStore::take(constants.graph);
    store.finish_use(w, false);
    CHECK(store.find(w) != nullptr);
    store.finish_use(w, false);
    CHECK(store.find(w) == nullptr);
    CHECK(content.expired());
    const Operand operand = store.operand(w);
    CHECK(operand.shape == Shape{edge, edge});
    CHECK(operand.known.peek_value() == nullptr);
  }
  SECTION("one of them reads it") {
    ConstantStore store = ConstantStore::take(constants.graph);
    store.finish_use(w, true);
    store.finish_use(w, false);
    CHECK(store.find(w) != nullptr);
    CHECK_FALSE(content.expired());
  }
  SECTION("what is small stays") {
    ConstantStore store = ConstantStore::take(constants.graph);
    store.finish_use(constants.named("b"), false);
    CHECK(store.find(constants.named("b")) != nullptr);
  }
}

TEST_CASE("of a file's constants that runs read, small ones are copied after the last kernel",
          "[constant_store]") {
  Constants constants;
  const Tensor numbers = random_tensor(Shape{edge, edge}, 3);
  const test::ScratchFile scratch("weights", {reinterpret_cast<const char*>(numbers.bytes()),
                                              static_cast<std::size_t>(numbers.size_bytes())});
  const MappedFile file = MappedFile::open(scratch.path());
  const auto mapped = [&](const Shape& shape) {
    const auto bytes = static_cast<std::size_t>(shape.element_count()) * sizeof(float);
    return Tensor::view(DataType::float32, shape, file.bytes().first(bytes), file.owner());
  };
  constants.graph.set_constant(constants.named("w"), mapped(Shape{edge, edge}));
  constants.graph.set_constant(constants.named("b"), mapped(Shape{edge}));
  ConstantStore store = ConstantStore::take(constants.graph);
  const Value& w = constants.named("w");
  const Value& b = constants.named("b");
  CHECK(store.find(b)->bytes() == file.bytes().data());
  store.finish_use(b, true);
  CHECK(store.find(b)->bytes() != file.bytes().data());
  CHECK(std::memcmp(store.find(b)->bytes(), numbers.bytes(), edge * sizeof(float)) == 0);
  for (int use = 0; use < 2; ++use) store.finish_use(w, true);
  CHECK(store.find(w)->bytes() == file.bytes().data());
}

TEST_CASE("aligned copies last while a kernel is compiled, or as long as it reads them",
          "[constant_store]") {
  Constants constants;
  const std::size_t bytes = edge * edge * sizeof(float);
  const auto file = std::make_shared<std::vector<std::byte>>(bytes + 1);
  constants.graph.set_constant(
      constants.named("w"),
      Tensor::view(DataType::float32, Shape{edge, edge}, std::span(*file).subspan(1, bytes), file));
  const Value& w = constants.named("w");
  const std::vector<const Value*> values = {nullptr, &w};
  ConstantStore store = ConstantStore::take(constants.graph);
  store.align(values);
  CHECK(store.find(w)->is_aligned());
  CHECK(store.original(w).bytes() == file->data() + 1);
  store.finish_use(w, false);
  CHECK(store.find(w)->bytes() == file->data() + 1);
  store.align(values);
  store.finish_use(w, true);
  CHECK(store.find(w)->is_aligned());
  CHECK(store.original(w).bytes() == store.find(w)->bytes());
  CHECK(file.use_count() == 1);
}

}  // namespace
}  // namespace ortool
