// Signal operators: sizes given as inputs, full and one-sided spectra, frames.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

TEST_CASE("windows are as long as their input says", "[ops]") {
  CHECK(inferred({"y = HannWindow(n)", "", "int64 n = {10}"}) == "float32[10]");
  CHECK(inferred({"y = HammingWindow <output_datatype = 11> (n)", "", "int32 n = {1}"}) ==
        "float64[1]");
  CHECK(inferred({"y = BlackmanWindow(n)", "int64 n"}) == "float32[?]");
  CHECK(inferred({"s = Size(x) y = BlackmanWindow(s)", "float[N, 2] x"}) == "float32[2*N]");
  CHECK(inferred({"y = HannWindow(n)", "", "int64 n = {0}"}) ==
        "invalid: 'size' is 0 (expected 1 to 2^31)");
  CHECK(inferred({"y = HannWindow(n)", "", "int64 n = {9223372036854775807}"}) ==
        "invalid: 'size' is 9223372036854775807 (expected 1 to 2^31)");
  CHECK_THAT(inferred({"y = HannWindow(n)", "", "int64[2] n = {1, 2}"}),
             Catch::Contains("expected one element"));
  CHECK_THAT(inferred({"y = HannWindow <output_datatype = 9> (n)", "", "int64 n = {4}"}),
             Catch::Contains("is bool"));
}

TEST_CASE("mel weights have a row a bin and a column a band", "[ops]") {
  const std::string_view floats = "float low, float high, int64 rate";
  CHECK(inferred({"y = MelWeightMatrix(m, n, rate, low, high)", floats,
                  "int64 m = {8}, int64 n = {16}"}) == "float32[9 x 8]");
  CHECK_THAT(inferred({"y = MelWeightMatrix(m, n, rate, low, high)", floats,
                       "int64 m = {0}, int64 n = {16}"}),
             Catch::Contains("'num_mel_bins' is 0"));
}

TEST_CASE("a transform keeps, halves or restores its axis", "[ops]") {
  CHECK(inferred({"y = DFT(x)", "float[N, L, 1] x"}) == "float32[N x L x 2]");
  CHECK(inferred({"y = DFT <onesided = 1> (x)", "float[N, 10, 1] x"}) == "float32[N x 6 x 2]");
  CHECK(inferred({"y = DFT <onesided = 1> (x)", "float[N, L, 1] x"}) ==
        "float32[N x (floor(L/2) + 1) x 2]");
  CHECK(inferred({"y = DFT <onesided = 1, inverse = 1> (x)", "float[N, 6, 2] x"}) ==
        "float32[N x 10 x 1]");
  CHECK(inferred({"y = DFT(x, n)", "float[2, 10, 1] x", "int64 n = {7}"}) == "float32[2 x 7 x 2]");
  CHECK(inferred({"y = DFT(x, , a)", "float[2, 10, 1] x, int64 a"}) == "float32[? x ? x 2]");
  CHECK(inferred({"y = DFT(x, n, a)", "float[2, 10, 1] x", "int64 n = {7}, int64 a = {0}"}) ==
        "float32[7 x 10 x 2]");
  CHECK(inferred({"y = DFT <axis = 0> (x)", "float[2, 10, 1] x", "", 17}) == "float32[2 x 10 x 2]");
}

TEST_CASE("transforms that cannot be are refused", "[ops]") {
  CHECK_THAT(inferred({"y = DFT(x, , a)", "float[2, 10, 1] x", "int64 a = {2}"}),
             Catch::Contains("axis 2 is outside a signal of rank 3 (expected -3..-2 or 0..1)"));
  CHECK_THAT(inferred({"y = DFT <axis = -1> (x)", "float[2, 10, 1] x", "", 17}),
             Catch::Contains("axis -1"));
  CHECK_THAT(inferred({"y = DFT(x)", "float[2, 10, 3] x"}), Catch::Contains("expected 1 or 2"));
  CHECK_THAT(inferred({"y = DFT <onesided = 1> (x)", "float[2, 10, 2] x"}),
             Catch::Contains("expected 1, real numbers"));
  CHECK_THAT(inferred({"y = DFT <onesided = 1, inverse = 1> (x)", "float[2, 1, 2] x"}),
             Catch::Contains("has no inverse"));
  CHECK_THAT(inferred({"y = DFT(x, n)", "float[2, 10, 1] x", "int64 n = {-5}"}),
             Catch::Contains("'dft_length' is -5"));
  CHECK_THAT(inferred({"y = DFT(x)", "float[2] x"}), Catch::Contains("rank 1"));
}

TEST_CASE("frames are as many as fit the signal", "[ops]") {
  const std::string_view sizes = "int64 step = {8}, int64 length = {16}";
  CHECK(inferred({"y = STFT(x, step, , length)", "float[2, 128, 1] x", sizes}) ==
        "float32[2 x 15 x 9 x 2]");
  CHECK(inferred({"y = STFT <onesided = 0> (x, step, , length)", "float[2, 128, 2] x", sizes}) ==
        "float32[2 x 15 x 16 x 2]");
  CHECK(inferred({"y = STFT(x, step, w)", "float[2, 128, 1] x, float[32] w", sizes}) ==
        "float32[2 x 13 x 17 x 2]");
  CHECK(inferred({"y = STFT(x, step, , length)", "float[N, L, 1] x", sizes}) ==
        "float32[N x (floor(L/8) - 1) x 9 x 2]");
  CHECK_THAT(inferred({"y = STFT(x, step, , length)", "float[2, 8, 1] x", sizes}),
             Catch::Contains("frames are 16 long, but the signal is 8"));
  CHECK_THAT(inferred({"y = STFT(x, step, w, length)", "float[2, 128, 1] x, float[17] w", sizes}),
             Catch::Contains("'window'"));
  CHECK_THAT(inferred({"y = STFT(x, step)", "float[2, 128, 1] x", "int64 step = {0}"}),
             Catch::Contains("'frame_step' is 0"));
  // PyTorch writes real signals without an axis of real and imaginary parts.
  CHECK(inferred({"y = STFT(x, step)", "float[2, 128] x", sizes}) == "float32[2 x 1 x 65 x 2]");
  CHECK_THAT(inferred({"y = STFT(x, step)", "float[128] x", sizes}), Catch::Contains("rank 1"));
}

}  // namespace
}  // namespace ortool::test
