// Recurrent layers in float32 against float64, at every ISA level and thread count.
#include <catch2/catch.hpp>

#include "kernels/cpu/recurrent/recurrent_products.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
struct Layer {
  RecurrentLayerParams params;
  RecurrentSizes sizes;
  std::vector<T> x, w, r, bias, h, c, peepholes;
  std::vector<std::int32_t> lengths;
};

template <typename T>
std::vector<T> numbers(std::int64_t count, std::uint32_t seed) {
  const auto floats = test::random_floats(count, seed, -0.5F, 0.5F);
  return {floats.begin(), floats.end()};
}

template <typename T>
Layer<T> make_layer(const RecurrentLayerParams& params, const RecurrentSizes& sizes,
                    bool has_lengths) {
  const std::int64_t rows = params.directions * params.gates() * sizes.hidden;
  const std::int64_t states = params.directions * sizes.batch * sizes.hidden;
  Layer<T> layer;
  layer.params = params;
  layer.sizes = sizes;
  layer.x = numbers<T>(sizes.sequence * sizes.batch * sizes.input, 1);
  layer.w = numbers<T>(rows * sizes.input, 2);
  layer.r = numbers<T>(rows * sizes.hidden, 3);
  layer.bias = numbers<T>(2 * rows, 4);
  layer.h = numbers<T>(states, 5);
  layer.c = numbers<T>(states, 6);
  for (std::int64_t b = 0; has_lengths && b < sizes.batch; ++b)
    layer.lengths.push_back(static_cast<std::int32_t>((b * 3 + 1) % (sizes.sequence + 1)));
  return layer;
}

/// Y, Y_h and Y_c, concatenated.
template <typename T>
std::vector<T> run(const Layer<T>& layer, Isa isa, Workers& workers) {
  const std::int64_t states = static_cast<std::int64_t>(layer.h.size());
  const std::int64_t all = layer.sizes.sequence * states;
  std::vector<T> out(static_cast<std::size_t>(all + 2 * states));
  const std::int64_t packed_elements =
      packed_recurrent_elements<T>(layer.params, layer.sizes.input, layer.sizes.hidden, isa);
  AlignedBuffer packed(packed_elements * static_cast<std::int64_t>(sizeof(T)), nullptr);
  pack_recurrent(layer.params, layer.sizes.input, layer.sizes.hidden, layer.w.data(),
                 layer.r.data(), isa, packed.as<T>(), workers);
  const PackedRecurrentProducts<T> products(layer.params, layer.sizes.input, layer.sizes.hidden,
                                            isa, packed.as<T>());
  AlignedBuffer space(recurrent_workspace_bytes(layer.params, layer.sizes, products), nullptr);
  RecurrentOperands<T> operands;
  operands.x = layer.x.data();
  operands.bias = layer.bias.data();
  operands.lengths = layer.lengths.empty() ? nullptr : layer.lengths.data();
  operands.initial_h = layer.h.data();
  operands.initial_c = layer.c.data();
  operands.y = out.data();
  operands.y_h = out.data() + all;
  operands.y_c = out.data() + all + states;
  recurrent_layer(layer.params, layer.sizes, operands, products, isa, space.data(), workers);
  return out;
}

void check(const RecurrentLayerParams& params, const RecurrentSizes& sizes, bool has_lengths) {
  Workers alone;
  const std::vector<double> exact =
      run(make_layer<double>(params, sizes, has_lengths), Isa::baseline, alone);
  const Layer<float> layer = make_layer<float>(params, sizes, has_lengths);
  for (const Isa isa : test::available_isas()) {
    std::vector<float> first;
    for (const int threads : {1, 2, 8}) {
      ThreadPool pool(threads);
      Workers workers(pool, threads);
      const std::vector<float> found = run(layer, isa, workers);
      double worst = 0;
      for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(found[i]) - exact[i]));
      CHECK(worst < 2e-5);
      if (first.empty()) first = found;
      CHECK(test::same_bits(first, found));
    }
  }
}

TEST_CASE("recurrent layers agree with float64") {
  for (const RecurrentCell cell : {RecurrentCell::rnn, RecurrentCell::gru, RecurrentCell::lstm}) {
    for (const bool is_linear : {false, true}) {
      for (const std::int64_t directions : {1, 2}) {
        RecurrentLayerParams params;
        params.cell = cell;
        params.directions = directions;
        params.is_reverse = is_linear;
        params.linear_before_reset = is_linear;
        if (cell != RecurrentCell::rnn) {
          for (std::int64_t d = 0; d < directions; ++d)
            params.functions[static_cast<std::size_t>(d * params.functions_each())].op =
                UnaryOp::sigmoid;
        }
        for (const RecurrentSizes sizes :
             {RecurrentSizes{5, 1, 7, 16}, RecurrentSizes{4, 3, 1, 33},
              RecurrentSizes{3, 17, 20, 5}, RecurrentSizes{2, 2, 3, 1}}) {
          INFO("cell " << static_cast<int>(cell) << " directions " << directions << " hidden "
                       << sizes.hidden);
          check(params, sizes, false);
          check(params, sizes, true);
        }
      }
    }
  }
}

TEST_CASE("recurrent layers agree with float64 when functions are clipped or unusual") {
  for (const RecurrentCell cell : {RecurrentCell::rnn, RecurrentCell::gru, RecurrentCell::lstm}) {
    RecurrentLayerParams params;
    params.cell = cell;
    params.clip = 0.4;
    params.couples_gates = cell == RecurrentCell::lstm;
    params.functions = {GateFunction{UnaryOp::hard_sigmoid, {0.2, 0.5}},
                        GateFunction{UnaryOp::scaled_tanh, {0.9, 1.1}},
                        GateFunction{UnaryOp::softsign, {}}};
    check(params, {4, 3, 5, 19}, false);
  }
}

}  // namespace
}  // namespace ortool::cpu
