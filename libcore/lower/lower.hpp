// Lowering: the ordered list of passes that turn a file's graph into a session's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/lower/place.hpp"
#include "libcore/lower/promote_fp16.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/provider/constant_store.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

struct LoweringOptions {
  OptimizeLevel level = OptimizeLevel::all;
  /// In order of preference; the last runs every node that the others do not take.
  std::span<const std::shared_ptr<const Provider>> providers;
  bool strict_provider = false;  ///< requires all nodes on the first provider
  PinnedProvider pinned;         ///< may be null
  /// Whether the pass or rule of that name is skipped; may be null. Required passes run regardless.
  std::function<bool(std::string_view)> is_skipped;
  bool keeps_events = false;  ///< the report lists every rewrite
  const StopToken* stop = nullptr;
  Progress* progress = nullptr;  ///< counts the passes, those of `rewrite` too; may be null
};

/// The effect of one lowering pass.
struct LoweringRecord {
  std::string_view name;
  std::int64_t nodes_before = 0;  ///< over all graphs
  std::int64_t nodes_after = 0;
  std::int64_t applied = 0;  ///< number of changes, if the pass counts them
  double milliseconds = 0;
};

struct LoweringReport {
  std::vector<LoweringRecord> passes;  ///< those that ran, in order
  RewriteReport rewrites;              ///< of the pass `rewrite`
};

/// A model whose graph a session can run, with the results of lowering that the graph does not
/// hold.
struct LoweredModel {
  PromotedValues promoted;
  PlacedGraphs placed;
  ConstantStore constants;  ///< with the content of weights, which the graph has no more
  LoweringReport report;
};

/// A pass as shown to users.
struct LoweringPassInfo {
  std::string_view name;
  std::string_view summary;
  OptimizeLevel level;  ///< the lowest at which it runs
  bool is_required;     ///< cannot be skipped
};

/// The pass that represents the groups of pipeline().
inline constexpr std::string_view rewrite_pass_name = "rewrite";

/// The pass that makes constants of inputs with a default value.
inline constexpr std::string_view freeze_defaults_name = "freeze-defaults";

/// All passes of lowering in order.
std::vector<LoweringPassInfo> describe_lowering();

/// Lowers `model` in place. Throws when the model is invalid, ErrorCode::unsupported listing all
/// operators that cannot be run, and what place() throws.
LoweredModel lower(Model& model, const LoweringOptions& options, const CompileContext& context);

}  // namespace ortool
