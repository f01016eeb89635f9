// Compilation by several threads: the bits, the limits and the errors of one thread.
#include "libcore/runtime/compile.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr int product_count = 40;
constexpr std::int64_t product_edge = 160;

/// Products by weights that lie at odd addresses, as in files; each weight is read by a product and
/// by a Gather, and every second one by another product too.
std::unique_ptr<Model> model_of_products() {
  std::string nodes;
  std::string outputs;
  std::string weights;
  for (int i = 0; i < product_count; ++i) {
    weights += format(", float[{},{}] w{}", product_edge, product_edge, i);
    nodes += format("y{} = MatMul (x, w{})\n", i, i / 2 * 2);
    nodes += format("z{} = Gather (w{}, rows)\n", i, i);
    outputs += format("{}float[2,{}] y{}, float[2,{}] z{}", i > 0 ? ", " : "", product_edge, i,
                      product_edge, i);
  }
  auto model = parse_model(
      format(
          "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,{}] x, int64[2] rows{}) => ({}) ",
          product_edge, weights, outputs) +
      "{ " + nodes + " }");
  for (int i = 0; i < product_count; ++i) {
    const Tensor numbers = random_tensor(Shape{product_edge, product_edge}, unsigned(i + 1));
    const auto size = static_cast<std::size_t>(numbers.size_bytes());
    const auto file = std::make_shared<std::vector<std::byte>>(size + 1);
    std::copy(numbers.bytes(), numbers.bytes() + size, file->begin() + 1);
    Value& weight = *model->graph->find_value(format("w{}", i));
    model->graph->set_constant(weight,
                               Tensor::view(DataType::float32, numbers.shape(),
                                            std::span<const std::byte>(*file).subspan(1), file));
    model->graph->make_default_constant(weight);
  }
  return model;
}

std::unique_ptr<Session> session_of_products(SessionOptions options, int threads) {
  options.threads = threads;
  // Otherwise products of one value would become one.
  options.optimize = OptimizeLevel::basic;
  return std::make_unique<Session>(model_of_products(), std::move(options));
}

std::vector<Tensor> run_products(const Session& session) {
  std::vector<Tensor> results;
  for (const RunValue& value : session.run(
           {{"x", random_tensor(Shape{2, product_edge}, 99)}, {"rows", integers_of({3, 159})}}, {}))
    results.push_back(value.tensor());
  return results;
}

}  // namespace

TEST_CASE("sessions compiled by several threads give the bits of one thread") {
  const auto alone = session_of_products(cpu_options(), 1);
  const auto expected = run_products(*alone);
  for (const int threads : {2, 4}) {
    CAPTURE(threads);
    ThreadPool pool(threads);
    const auto session = session_of_products(cpu_options(&pool), threads);
    CHECK(session->packed_bytes() == alone->packed_bytes());
    CHECK(session->constant_bytes() == alone->constant_bytes());
    const auto found = run_products(*session);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(same_bits(found[i], expected[i]));
  }
}

TEST_CASE("what one thread compiles, large constants first, keeps the order of the graph") {
  const auto session_of_chain = [](SessionOptions options, int threads) {
    auto model = parse_model(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,40] x, float[40,60] a, "
        "float[60,300] b, float[300,300] c, float[300,20] d) => (float[2,20] y) "
        "{ p = MatMul (x, a) q = MatMul (p, b) r = MatMul (q, c) y = MatMul (r, d) }");
    unsigned seed = 1;
    for (const char* name : {"a", "b", "c", "d"}) {
      Value& weight = *model->graph->find_value(name);
      const PartialShape& shape = weight.type().shape;
      model->graph->set_constant(
          weight, random_tensor(Shape{(*shape)[0].number(), (*shape)[1].number()}, seed++));
      model->graph->make_default_constant(weight);
    }
    options.threads = threads;
    return std::make_unique<Session>(std::move(model), std::move(options));
  };
  ThreadPool pool(2);
  const auto alone = session_of_chain(cpu_options(), 1);
  const auto together = session_of_chain(cpu_options(&pool), 2);
  REQUIRE(alone->placement().size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(alone->placement()[i].node == together->placement()[i].node);
  CHECK(alone->packed_bytes() == together->packed_bytes());
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 40}, 99)}};
  CHECK(same_bits(alone->run(inputs, {})[0].tensor(), together->run(inputs, {})[0].tensor()));
}

TEST_CASE("any number of threads writes the same cache, and reads it") {
  const auto expected = run_products(*session_of_products(cpu_options(), 1));
  std::vector<std::string> written;
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    const test::ScratchFolder folder;
    ThreadPool pool(threads);
    SessionOptions options = cpu_options(&pool);
    options.cache_dir = folder.path();
    for (const bool is_hit : {false, true}) {
      const auto session = session_of_products(options, threads);
      CHECK(session->cache().hit == is_hit);
      CHECK(session->cache().failure.empty());
      const auto found = run_products(*session);
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) CHECK(same_bits(found[i], expected[i]));
      if (!is_hit) written.push_back(read_text_file(session->cache().path, std::int64_t{1} << 30));
    }
  }
  for (const std::string& each : written) CHECK((each == written.front()));
}

TEST_CASE("a limit on packed weights takes the same ones with several threads") {
  SessionOptions limited = cpu_options();
  limited.max_packed_bytes = product_edge * product_edge * 4 * 7;
  const auto alone = session_of_products(limited, 1);
  ThreadPool pool(4);
  limited.pool = &pool;
  const auto session = session_of_products(limited, 4);
  CHECK(alone->packed_bytes() > 0);
  CHECK(session->packed_bytes() == alone->packed_bytes());
}

TEST_CASE("a memory limit ends compilation by several threads with its error") {
  ThreadPool pool(4);
  MemoryCap cap(product_edge * product_edge * 4 * 5);
  CHECK_THROWS_MATCHES(session_of_products(cpu_options(&pool, &cap), 4), Error,
                       Catch::Predicate<Error>([](const Error& error) {
                         return error.code() == ErrorCode::memory_limit && !error.node().empty();
                       }));
  CHECK(cap.used_bytes() == 0);
}

}  // namespace ortool
