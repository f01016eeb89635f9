// One session in eight threads: recurrent layers, sequences, int8 and data-dependent shapes.
#include <atomic>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr int thread_count = 8;
constexpr int runs_each = 1000;

constexpr std::string_view everything = R"(
  <ir_version: 9, opset_import: ["" : 17]>
  g (float[N,1,4] x, float[1,12,4] w, float[1,12,3] r) => (float[N,1,1,3] y, float[L,3] long_rows, uint8[N,4] bytes,
                                                         int32[N,4] sums, int64[1] pieces)
  <float half = {0.5}, int64[1] axis_1 = {1}, int64[2] rows = {-1, 3}, int64[2] wide = {-1, 4}> {
    y = LSTM <hidden_size = 3> (x, w, r)
    found = Reshape(y, rows)
    positive = Greater(found, half)
    places = NonZero(positive)
    count = Shape(places)
    rows_of_three = SplitToSequence <axis = 0> (found)
    doubled = SequenceMap (rows_of_three) <body = b (float[1,3] row) => (float[1,3] twice) { twice = Add(row, row) }>
    all = ConcatFromSequence <axis = 0> (doubled)
    long_rows = Concat <axis = 0> (all, found)
    flat = Reshape(x, wide)
    bytes, scale, zero = DynamicQuantizeLinear(flat)
    turned = Transpose <perm = [1, 0]> (bytes)
    products = MatMulInteger(turned, bytes, zero, zero)
    low_bytes = Cast <to = 2> (products)
    sums = MatMulInteger(bytes, low_bytes)
    pieces = Gather <axis = 0> (count, axis_1)
  })";

}  // namespace

TEST_CASE("Eight threads with 1000 runs each of recurrent, sequence and byte operators agree") {
  const unsigned seed = 5;
  INFO("seed " << seed);
  ThreadPool pool(3);
  MemoryCap cap;
  const auto session = make_session(everything, cpu_options(&pool, &cap));
  std::vector<NamedValues> inputs;
  std::vector<std::vector<RunValue>> expected;
  for (std::int64_t length = 1; length <= 4; ++length) {
    inputs.push_back({{"x", random_tensor(Shape{length * 2, 1, 4}, seed)},
                      {"w", random_tensor(Shape{1, 12, 4}, seed + 1)},
                      {"r", random_tensor(Shape{1, 12, 3}, seed + 2)}});
    expected.push_back(session->run(inputs.back(), {}));
  }
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      RunOptions options;
      options.threads = 1 + thread % 3;
      for (int run = 0; run < runs_each; ++run) {
        const auto which = static_cast<std::size_t>(thread * 3 + run) % inputs.size();
        const auto outputs = session->run(inputs[which], options);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          if (!same_bits(outputs[i].tensor(), expected[which][i].tensor())) ++different;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
}
