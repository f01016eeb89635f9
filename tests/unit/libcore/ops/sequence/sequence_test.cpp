// Sequences and optionals: what inference knows of their tensors.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

void check_refused(const std::string& answer, const std::string& part) {
  CHECK_THAT(answer, Catch::StartsWith("invalid: ") && Catch::Contains(part));
}

TEST_CASE("a sequence keeps what its tensors have in common", "[ops]") {
  CHECK(inferred({"s = SequenceConstruct(a, b)", "float[2, N] a, float[3, N] b"}) ==
        "sequence(float32[? x N])");
  CHECK(inferred({"s = SequenceConstruct(a, b)", "float[2] a, float[2, 3] b"}) ==
        "sequence(float32[unknown rank])");
  check_refused(inferred({"s = SequenceConstruct(a, b)", "float[2] a, int64[2] b"}), "int64");
  CHECK(inferred({"s = SequenceEmpty <dtype = 7> ()"}) == "sequence(int64[unknown rank])");
  CHECK(inferred({"s = SequenceEmpty()"}) == "sequence(float32[unknown rank])");
  check_refused(inferred({"s = SequenceEmpty <dtype = 99> ()"}), "dtype is 99");
  check_refused(inferred({"s = SequenceEmpty <dtype = 16> ()"}), "dtype is 16");
  check_refused(inferred({"s = SequenceEmpty <dtype = -1> ()"}), "dtype is -1");
  const std::string_view held = "seq(float[2, N]) s, float[2, 5] t, int64 i";
  CHECK(inferred({"y = SequenceAt(s, i)", held}) == "float32[2 x N]");
  CHECK(inferred({"y = SequenceErase(s, i)", held}) == "sequence(float32[2 x N])");
  CHECK(inferred({"y = SequenceInsert(s, t)", held}) == "sequence(float32[2 x ?])");
  CHECK(inferred({"y = SequenceLength(s)", held}) == "int64[scalar]");
  check_refused(inferred({"y = SequenceLength(t)", held}), "does not accept");
  check_refused(inferred({"y = SequenceInsert(s, t)", "seq(int64[2]) s, float[2] t"}),
                "float32, but another is int64");
  check_refused(inferred({"y = SequenceAt(s, i)", "seq(float[2]) s, int64[2] i"}), "'position'");
}

TEST_CASE("sequences are put together along an axis", "[ops]") {
  const std::string_view held = "seq(float[2, N]) s";
  CHECK(inferred({"y = ConcatFromSequence <axis = -1> (s)", held}) == "float32[2 x ?]");
  CHECK(inferred({"y = ConcatFromSequence <axis = -1, new_axis = 1> (s)", held}) ==
        "float32[2 x N x ?]");
  CHECK(inferred({"y = ConcatFromSequence <axis = 0> (s)", "seq(float[]) s"}) ==
        "float32[unknown rank]");
  check_refused(inferred({"y = ConcatFromSequence <axis = 2> (s)", held}), "axis 2");
  check_refused(inferred({"y = ConcatFromSequence <axis = 3, new_axis = 1> (s)", held}), "axis 3");
  check_refused(inferred({"y = ConcatFromSequence <axis = 0, new_axis = 2> (s)", held}),
                "new_axis");
}

TEST_CASE("tensors are cut into sequences", "[ops]") {
  CHECK(inferred({"y = SplitToSequence(x)", "float[6, N] x"}) == "sequence(float32[1 x N])");
  CHECK(inferred({"y = SplitToSequence <keepdims = 0, axis = 1> (x)", "float[6, N] x"}) ==
        "sequence(float32[6])");
  CHECK(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64 k = {3}"}) ==
        "sequence(float32[3])");
  CHECK(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64 k = {4}"}) ==
        "sequence(float32[?])");
  CHECK(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64 k = {9}"}) ==
        "sequence(float32[6])");
  CHECK(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64[2] k = {3, 3}"}) ==
        "sequence(float32[3])");
  CHECK(inferred({"y = SplitToSequence(x, k)", "float[6] x, int64[2] k"}) ==
        "sequence(float32[?])");
  check_refused(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64[2] k = {3, 4}"}),
                "the axis is 6 (expected 7)");
  check_refused(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64 k = {0}"}), "size 0");
  check_refused(inferred({"y = SplitToSequence(x, k)", "float[6] x", "int64[2] k = {7, -1}"}),
                "size -1");
  check_refused(inferred({"y = SplitToSequence(x, k)", "float[6] x",
                          "int64[2] k = {9223372036854775807, 9223372036854775807}"}),
                "too large");
  check_refused(inferred({"y = SplitToSequence(x, k)", "float[6] x, int64[1, 1] k"}), "'split'");
  check_refused(inferred({"y = SplitToSequence <axis = 1> (x)", "float[6] x"}), "axis 1");
}

TEST_CASE("optionals hold tensors and sequences", "[ops]") {
  CHECK(inferred({"y = Optional(x)", "float[N] x"}) == "optional(float32[N])");
  CHECK(inferred({"y = Optional(x)", "seq(float[N]) x"}) == "optional(sequence(float32[N]))");
  CHECK(inferred({"y = Optional <type = seq(float[2])> ()"}) == "optional(sequence(float32[2]))");
  check_refused(inferred({"y = Optional()"}), "neither an input nor attribute 'type'");
  check_refused(inferred({"y = Optional <type = optional(float[2])> ()"}), "does not take");
  CHECK(inferred({"y = OptionalGetElement(x)", "optional(float[N]) x", "", 15}) == "float32[N]");
  CHECK(inferred({"y = OptionalGetElement(x)", "seq(float[N]) x"}) == "sequence(float32[N])");
  check_refused(inferred({"y = OptionalGetElement(x)", "float[N] x", "", 15}), "does not accept");
  CHECK(inferred({"y = OptionalHasElement(x)", "optional(seq(float[N])) x"}) == "bool[scalar]");
  CHECK(inferred({"y = OptionalHasElement()"}) == "bool[scalar]");
}

}  // namespace
}  // namespace ortool::test
