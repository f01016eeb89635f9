// Kernels for com.microsoft.MurmurHash3.
#include "kernels/cpu/ml/murmur_hash.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/legacy/murmur_hash.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t hash_grain = 16384;

KernelPtr compile_murmur_hash(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<MurmurHash3>(view.node());
  return make_kernel(row.name, [seed = op.seed](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    const std::int64_t size = bytes_of(context.inputs[0].type, 1);
    return make_prepared({}, [=](const RunContext& run) {
      const auto* in = run.input<std::byte>(0);
      auto* out = run.output<std::uint32_t>(0);
      run.workers().parallel_ranges(count, hash_grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          out[i] = murmur_hash3(in + i * size, static_cast<std::size_t>(size), seed);
      });
    });
  });
}

KernelPtr compile_string_hash(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<MurmurHash3>(view.node());
  return make_dynamic_kernel(row.name, [op](DynamicContext& context) {
    const Tensor& in = context.input(0);
    const std::span<const std::string> texts = in.strings();
    const DataType type = op.is_unsigned ? DataType::uint32 : DataType::int32;
    Tensor out = context.make(type, in.shape());
    auto* hashes = reinterpret_cast<std::uint32_t*>(out.mutable_bytes());
    std::transform(texts.begin(), texts.end(), hashes, [&](const std::string& text) {
      return murmur_hash3(text.data(), text.size(), op.seed);
    });
    context.set_output(0, std::move(out));
  });
}

bool accepts_hashed_string(const NodeView& view) {
  return view.input_type(0) == DataType::string;
}

bool accepts_hashed_number(const NodeView& view) {
  return !accepts_hashed_string(view);
}

constexpr auto murmur_hash_rows =
    join_rows(portable_row("murmur_hash", "MurmurHash3", "numbers", accepts_hashed_number,
                           compile_murmur_hash, contrib_domain),
              portable_row("murmur_hash_string", "MurmurHash3", "string", accepts_hashed_string,
                           compile_string_hash, contrib_domain));

}  // namespace

std::span<const KernelRow> murmur_hash_kernels() {
  return murmur_hash_rows;
}

}  // namespace ortool::cpu
