// Kernels for RandomNormal, RandomUniform, their …Like variants, Bernoulli and Multinomial.
#include "libcore/ops/generator/random.hpp"

#include <bit>

#include "kernels/cpu/random/draw.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/generator/sampling.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/node_key.hpp"

namespace ortool::cpu {
namespace {

/// The key of a node's random numbers: the bits of its seed, or a hash of its name.
std::uint64_t key_of_node(const Node& node, const std::optional<float>& seed) {
  return seed ? std::bit_cast<std::uint32_t>(*seed) : key_of_name(node);
}

void draw(const UniformDistribution& distribution, DataType type, std::uint64_t key, void* out,
          std::int64_t count, Workers& workers) {
  draw_uniform(type, static_cast<double>(distribution.low), static_cast<double>(distribution.high),
               key, out, count, workers);
}
void draw(const NormalDistribution& distribution, DataType type, std::uint64_t key, void* out,
          std::int64_t count, Workers& workers) {
  draw_normal(type, static_cast<double>(distribution.mean), static_cast<double>(distribution.scale),
              key, out, count, workers);
}

bool accepts_random_output(const NodeView& view) {
  return types::floats.contains(view.output_type(0));
}

template <typename Op>
KernelPtr compile_random(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const Op op = read_op<Op>(view.node());
  const std::uint64_t key = key_of_node(view.node(), op.seed);
  return make_kernel(
      row.name, [distribution = op.distribution, key](const PrepareContext& context) {
        const DataType type = context.outputs[0].type;
        const std::int64_t count = context.outputs[0].shape.element_count();
        return make_prepared({}, [=](const RunContext& run) {
          draw(distribution, type, key, run.output<std::byte>(0), count, run.workers());
        });
      });
}

bool accepts_bernoulli(const NodeView& view) {
  return accepts_floats(view) && is_computable(view.output_type(0));
}

KernelPtr compile_bernoulli(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Bernoulli>(view.node());
  const std::uint64_t key = key_of_node(view.node(), op.seed);
  return make_kernel(row.name, [key](const PrepareContext& context) {
    const std::int64_t count = context.outputs[0].shape.element_count();
    return make_prepared({}, [=, from = context.inputs[0].type,
                              to = context.outputs[0].type](const RunContext& run) {
      draw_bernoulli(from, run.input<std::byte>(0), to, key, run.output<std::byte>(0), count,
                     run.workers());
    });
  });
}

KernelPtr compile_multinomial(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<Multinomial>(view.node());
  const std::uint64_t key = key_of_node(view.node(), op.seed);
  return make_kernel(row.name, [key](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    const Operand& output = context.outputs[0];
    const std::int64_t rows = input.shape[0];
    const std::int64_t classes = input.shape[1];
    const std::int64_t samples = output.shape[1];
    return make_prepared({.workspace_bytes = bytes_of(DataType::float64, classes)},
                         [=, from = input.type, to = output.type](const RunContext& run) {
                           draw_multinomial(from, run.input<std::byte>(0), to, key,
                                            run.output<std::byte>(0), rows, classes, samples,
                                            run.workspace<double>(), run.workers());
                         });
  });
}

constexpr auto random_rows =
    join_rows(portable_row("bernoulli", "Bernoulli", "floats to numbers and bool",
                           accepts_bernoulli, compile_bernoulli),
              portable_row("multinomial", "Multinomial", float_type_names, accepts_floats,
                           compile_multinomial),
              portable_row("random_normal", "RandomNormal", float_type_names, accepts_random_output,
                           compile_random<RandomNormal>),
              portable_row("random_normal_like", "RandomNormalLike", float_type_names,
                           accepts_random_output, compile_random<RandomNormalLike>),
              portable_row("random_uniform", "RandomUniform", float_type_names,
                           accepts_random_output, compile_random<RandomUniform>),
              portable_row("random_uniform_like", "RandomUniformLike", float_type_names,
                           accepts_random_output, compile_random<RandomUniformLike>));

}  // namespace

std::span<const KernelRow> random_kernels() {
  return random_rows;
}

}  // namespace ortool::cpu
