// Opset gain: rewrites a model once for each opset that has operators which fusions produce.
#include "libcore/verify/opset_gain.hpp"

#include <algorithm>

#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_nodes = 20'000;
constexpr std::int64_t max_weight_bytes = std::int64_t{1} << 30;

/// HardSwish, LayerNormalization, Mish, Gelu, GroupNormalization, attention and Swish.
constexpr std::int64_t opsets[] = {14, 17, 18, 20, 21, 23, 24};

/// Nodes after the rewriting for an opset; nothing where the model cannot be converted.
std::optional<std::int64_t> count_nodes(const Rewriting& rewriting, std::int64_t opset) {
  OptimizeSettings settings = rewriting.settings();
  settings.opset = opset;
  settings.explains = false;
  const Rewriting converting(rewriting, settings);
  try {
    const std::unique_ptr<Model> model = converting.load();
    static_cast<void>(converting.apply(*model));
    return size_of(*model).nodes;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported && error.code() != ErrorCode::invalid) throw;
    return std::nullopt;
  }
}

}  // namespace

std::optional<OpsetGain> find_opset_gain(const TaskContext& task, const Rewriting& rewriting,
                                         std::int64_t own, const ModelSize& before,
                                         const ModelSize& after) {
  const OptimizeSettings& settings = rewriting.settings();
  const bool is_limited = settings.opset != 0 || !settings.passes.empty() ||
                          settings.has_16_bits() || settings.target != Target::any ||
                          settings.level < OptimizeLevel::extended;
  if (is_limited || before.nodes > max_nodes || before.bytes > max_weight_bytes)
    return std::nullopt;
  constexpr std::int64_t newest = opsets[std::size(opsets) - 1];
  if (own >= newest) return std::nullopt;
  Progress progress(task, "trying newer opsets");
  progress.expect(std::count_if(std::begin(opsets), std::end(opsets),
                                [own](std::int64_t opset) { return opset > own; }));
  const std::optional<std::int64_t> fewest = count_nodes(rewriting, newest);
  if (!fewest || *fewest * 100 > after.nodes * 95) return std::nullopt;
  for (const std::int64_t opset : opsets) {
    if (opset > own) progress.finish();
    if (opset > own && opset != newest && count_nodes(rewriting, opset) == fewest)
      return OpsetGain{opset, *fewest};
  }
  return OpsetGain{newest, *fewest};
}

}  // namespace ortool
