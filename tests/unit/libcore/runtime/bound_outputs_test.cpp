// Outputs bound to the caller's memory: written in place or copied, and refused on a mismatch.
#include "libcore/runtime/bound_outputs.hpp"

#include <cstring>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr std::string_view two_outputs = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x) z = Add(y, y) })";

/// The caller's memory, `shift` bytes past an aligned address.
class CallersMemory {
 public:
  explicit CallersMemory(std::size_t size, std::size_t shift = 0)
      : buffer_(static_cast<std::int64_t>(size + shift), nullptr), size_(size), shift_(shift) {}

  std::span<std::byte> bytes() { return {buffer_.data() + shift_, size_}; }
  std::vector<float> floats(std::size_t count) const {
    std::vector<float> result(count);
    std::memcpy(result.data(), buffer_.data() + shift_, count * sizeof(float));
    return result;
  }

 private:
  AlignedBuffer buffer_;
  std::size_t size_;
  std::size_t shift_;
};

RunOptions bound(std::vector<BoundOutput> outputs) {
  RunOptions options;
  options.bound_outputs = std::move(outputs);
  return options;
}

std::string refusal(const Session& session, const NamedValues& inputs, const RunOptions& options) {
  try {
    static_cast<void>(session.run(inputs, options));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    return error.message();
  }
  return "none";
}

}  // namespace

TEST_CASE("A bound output is written to the caller's memory, aligned or not") {
  const auto session = make_session(two_outputs);
  for (const std::size_t shift : {std::size_t{0}, std::size_t{4}, std::size_t{1}}) {
    CallersMemory memory(40, shift);
    const auto outputs =
        session->run({{"x", vector_of({1, -2, 3})}}, bound({{"z", memory.bytes()}}));
    CHECK(memory.floats(3) == std::vector<float>{-2, 4, -6});
    CHECK(outputs[1].tensor().bytes() == memory.bytes().data());
    CHECK(outputs[1].tensor().shape() == Shape{3});
    CHECK(floats(outputs[0]) == std::vector<float>{-1, 2, -3});
  }
}

TEST_CASE("An output that another step reads may be bound, and so may several") {
  const auto session = make_session(two_outputs);
  CallersMemory y(12);
  CallersMemory z(12);
  static_cast<void>(
      session->run({{"x", vector_of({1, -2, 3})}}, bound({{"z", z.bytes()}, {"y", y.bytes()}})));
  CHECK(y.floats(3) == std::vector<float>{-1, 2, -3});
  CHECK(z.floats(3) == std::vector<float>{-2, 4, -6});
}

TEST_CASE("Constants, inputs, values listed twice and outputs of dynamic steps can be bound") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x) => (float[2] c, float[N] same, float[N] y, float[N] y, float[K] kept)
    <float[2] two = {7, 8}, float zero = {0}> {
      c = Identity(two)
      same = Identity(x)
      y = Neg(x)
      positive = Greater(x, zero)
      places = NonZero(positive)
      rows = Transpose<perm = [1,0]>(places)
      kept = GatherND(x, rows)
    })");
  CallersMemory c(8);
  CallersMemory same(12);
  CallersMemory kept(12);
  const auto outputs =
      session->run({{"x", vector_of({1, -2, 3})}},
                   bound({{"c", c.bytes()}, {"same", same.bytes()}, {"kept", kept.bytes()}}));
  CHECK(c.floats(2) == std::vector<float>{7, 8});
  CHECK(same.floats(3) == std::vector<float>{1, -2, 3});
  CHECK(kept.floats(2) == std::vector<float>{1, 3});
  CHECK(outputs[4].tensor().shape() == Shape{2});
}

TEST_CASE("Bound memory that is too small, unknown, shared or bound twice is refused") {
  const auto session = make_session(two_outputs);
  const NamedValues inputs = {{"x", vector_of({1, -2, 3})}};
  CallersMemory memory(64);
  const auto bytes = memory.bytes();
  CHECK(refusal(*session, inputs, bound({{"z", bytes.first(11)}})) ==
        "output 'z' is bound to 11 bytes of memory (expected at least 12)");
  CHECK(refusal(*session, inputs, bound({{"w", bytes}})) == "the model has no output 'w' to bind");
  CHECK(refusal(*session, inputs, bound({{"z", bytes}, {"z", bytes}})) ==
        "output 'z' is bound twice");
  CHECK(refusal(*session, inputs, bound({{"z", bytes}, {"y", bytes.subspan(8, 16)}})) ==
        "output 'y' is bound to memory that another output uses");
  const Tensor x = Tensor::view(DataType::float32, Shape{3}, bytes.subspan(4, 12), nullptr);
  CHECK(refusal(*session, {{"x", x}}, bound({{"z", bytes.first(12)}})) ==
        "output 'z' is bound to memory that an input uses");
}

TEST_CASE("A sequence cannot be bound") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,4] x) => (seq(float[1,4]) s) { s = SplitToSequence<axis = 0>(x) })");
  CallersMemory memory(64);
  CHECK(refusal(*session, {{"x", random_tensor(Shape{3, 4}, 1)}}, bound({{"s", memory.bytes()}})) ==
        "output 's' is a sequence of 3, which cannot be written to bound memory");
}
