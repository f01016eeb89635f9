// Dynamically quantized LSTMs against float ones, at every ISA level and thread count.
#include "kernels/cpu/recurrent/dynamic_quantized_recurrent.hpp"

#include <catch2/catch.hpp>

#include "kernels/cpu/recurrent/recurrent_products.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

/// Codes of W or R with their scales and zero points.
struct Factor {
  std::int64_t depth;
  std::vector<std::uint8_t> codes;
  std::vector<float> scales;
  std::vector<std::uint8_t> zeros;
  bool is_signed;

  QuantizedRecurrentFactor view() const {
    return {codes.data(),  is_signed,
            scales.data(), static_cast<std::int64_t>(scales.size()),
            zeros.data(),  static_cast<std::int64_t>(zeros.size())};
  }
};

Factor make_factor(std::int64_t directions, std::int64_t depth, std::int64_t columns,
                   bool is_signed, bool by_column) {
  Factor factor{depth, {}, {}, {}, is_signed};
  for (const float number : test::random_floats(directions * depth * columns, 3, 0.0F, 255.9F))
    factor.codes.push_back(static_cast<std::uint8_t>(number));
  factor.scales =
      test::random_floats(by_column ? directions * columns : directions, 4, 1e-3F, 4e-3F);
  for (std::size_t i = 0; i < factor.scales.size(); ++i)
    factor.zeros.push_back(static_cast<std::uint8_t>(is_signed ? 0 : 120 + i % 9));
  return factor;
}

/// Dequantized to [directions, columns, depth], as float layers expect.
std::vector<float> floats_of(const Factor& factor, std::int64_t directions, std::int64_t columns) {
  std::vector<float> floats;
  const bool by_column = factor.scales.size() > static_cast<std::size_t>(directions);
  for (std::int64_t d = 0; d < directions; ++d) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const auto number = static_cast<std::size_t>(by_column ? d * columns + column : d);
      for (std::int64_t i = 0; i < factor.depth; ++i) {
        const std::uint8_t byte =
            factor.codes[static_cast<std::size_t>((d * factor.depth + i) * columns + column)];
        const int code = factor.is_signed ? static_cast<std::int8_t>(byte) : byte;
        floats.push_back(static_cast<float>(code - factor.zeros[number]) * factor.scales[number]);
      }
    }
  }
  return floats;
}

struct Layer {
  RecurrentLayerParams params;
  RecurrentSizes sizes;
  std::vector<float> x, bias, h, c;
  std::vector<std::int32_t> lengths;
};

std::vector<float> run(const Layer& layer, const RecurrentProducts<float>& products, Isa isa,
                       Workers& workers) {
  const auto states = static_cast<std::int64_t>(layer.h.size());
  const std::int64_t all = layer.sizes.sequence * states;
  std::vector<float> out(static_cast<std::size_t>(all + 2 * states));
  AlignedBuffer space(recurrent_workspace_bytes(layer.params, layer.sizes, products), nullptr);
  RecurrentOperands<float> operands;
  operands.x = layer.x.data();
  operands.bias = layer.bias.data();
  operands.lengths = layer.lengths.data();
  operands.initial_h = layer.h.data();
  operands.initial_c = layer.c.data();
  operands.y = out.data();
  operands.y_h = out.data() + all;
  operands.y_c = out.data() + all + states;
  recurrent_layer(layer.params, layer.sizes, operands, products, isa, space.data(), workers);
  return out;
}

void check(const RecurrentSizes& sizes, std::int64_t directions, bool is_signed, bool by_column,
           UnaryOp output) {
  Layer layer;
  layer.params.cell = RecurrentCell::lstm;
  layer.params.directions = directions;
  layer.params.is_same_on_isas = true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(directions); ++d) {
    layer.params.functions[d * 3].op = UnaryOp::sigmoid;
    layer.params.functions[d * 3 + 2].op = output;
  }
  layer.sizes = sizes;
  const std::int64_t columns = 4 * sizes.hidden;
  const std::int64_t states = directions * sizes.batch * sizes.hidden;
  layer.x = test::random_floats(sizes.sequence * sizes.batch * sizes.input, 1, -1.0F, 1.0F);
  layer.bias = test::random_floats(2 * directions * columns, 2, -0.5F, 0.5F);
  layer.h = test::random_floats(states, 5, -0.5F, 0.5F);
  layer.c = test::random_floats(states, 6, -0.5F, 0.5F);
  for (std::int64_t b = 0; b < sizes.batch; ++b)
    layer.lengths.push_back(static_cast<std::int32_t>(sizes.sequence - b % sizes.sequence));
  const Factor w = make_factor(directions, sizes.input, columns, is_signed, by_column);
  const Factor r = make_factor(directions, sizes.hidden, columns, is_signed, by_column);
  Workers alone;
  AlignedBuffer floats(
      packed_recurrent_elements<float>(layer.params, sizes.input, sizes.hidden, Isa::baseline) * 4,
      nullptr);
  pack_recurrent(layer.params, sizes.input, sizes.hidden, floats_of(w, directions, columns).data(),
                 floats_of(r, directions, columns).data(), Isa::baseline, floats.as<float>(),
                 alone);
  const std::vector<float> exact =
      run(layer,
          PackedRecurrentProducts<float>(layer.params, sizes.input, sizes.hidden, Isa::baseline,
                                         floats.as<float>()),
          Isa::baseline, alone);
  std::vector<float> first;
  for (const Isa isa : test::available_isas()) {
    AlignedBuffer packed(packed_dynamic_bytes(layer.params, sizes.input, sizes.hidden, isa),
                         nullptr);
    pack_dynamic(layer.params, sizes.input, sizes.hidden, w.view(), r.view(), isa, packed.data());
    const DynamicRecurrentProducts products(layer.params, sizes.input, sizes.hidden, isa,
                                            packed.data());
    for (const int threads : {1, 2, 8}) {
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      const std::vector<float> found = run(layer, products, isa, workers);
      if (first.empty()) first = found;
      CHECK(test::same_bits(first, found));
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(first[i]) - exact[i]));
  CHECK(worst < 0.03);
}

TEST_CASE("an LSTM by bytes is near the one in floats, with the same bits everywhere") {
  for (const bool is_signed : {false, true}) {
    for (const bool by_column : {false, true}) {
      for (const RecurrentSizes sizes :
           {RecurrentSizes{5, 1, 7, 16}, RecurrentSizes{4, 3, 1, 33}, RecurrentSizes{3, 17, 20, 5},
            RecurrentSizes{2, 2, 3, 1}}) {
        INFO("hidden " << sizes.hidden << " signed " << is_signed << " by column " << by_column);
        check(sizes, 1, is_signed, by_column, UnaryOp::tanh);
        check(sizes, 2, is_signed, by_column, UnaryOp::softsign);
      }
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
