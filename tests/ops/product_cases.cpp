// Product cases: the table of builders, one per operator, and their random numbers.
#include "tests/ops/product_cases.hpp"

#include <array>

#include "libcore/tensor/convert.hpp"
#include "tests/ops/product_builders.hpp"

namespace ortool::test {
namespace {

struct Kind {
  const char* name;
  OpCase (*make)(ProductCases& random);
};

// clang-format off: one line per kind
constexpr std::array<Kind, 16> kind_list = {{
    {"MatMul", matmul},
    {"Gemm", gemm},
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"DeformConv", deform_conv},
    {"Einsum", einsum},
    {"LSTM, GRU, RNN", recurrent},
    {"Attention", attention},
    {"CausalConvWithState", causal_conv},
    {"MatMulInteger", matmul_integer},
    {"QLinearMatMul", qlinear_matmul},
    {"ConvInteger", conv_integer},
    {"QLinearConv", qlinear_conv},
    {"MatMulNBits", matmul_n_bits},
    {"FusedMatMul", fused_matmul},
    {"DynamicQuantizeLSTM", dynamic_lstm},
}};
// clang-format on

}  // namespace

std::size_t ProductCases::kinds() {
  return kind_list.size();
}

OpCase ProductCases::make(std::size_t kind) {
  const Kind& chosen = kind_list[kind % kind_list.size()];
  OpCase made = chosen.make(*this);
  made.name = chosen.name;
  return made;
}

std::int64_t ProductCases::rows() {
  return chance(35) ? 1 : chance(75) ? number(2, 8) : one_of({9, 14, 15, 16, 17, 29, 33, 64});
}

std::int64_t ProductCases::columns() {
  return chance(15)   ? 1
         : chance(50) ? number(2, 70)
                      : one_of({16, 31, 32, 33, 48, 63, 64, 65, 100, 128, 130, 200});
}

std::int64_t ProductCases::depth() {
  return chance(60) ? number(1, 70) : one_of({64, 100, 127, 128, 255, 256, 257, 300, 513});
}

Tensor ProductCases::floats(std::vector<std::int64_t> shape, DataType type) {
  Tensor values(DataType::float32, Shape(std::move(shape)));
  for (float& value : values.mutable_data<float>())
    value = static_cast<float>(number(-(1 << 20), 1 << 20)) / static_cast<float>(1 << 20);
  return type == DataType::float32 ? values : convert(values, type);
}

Tensor ProductCases::integers(DataType type, std::vector<std::int64_t> shape, std::int64_t low,
                              std::int64_t high) {
  Tensor values(type, Shape(std::move(shape)));
  for (std::int64_t i = 0; i < values.element_count(); ++i)
    set_element(values, i, number(low, high));
  return values;
}

}  // namespace ortool::test
