// Lowering: the ordered list of passes that make a session's graph of a file's.
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
#include "libcore/provider/provider.hpp"

namespace ortool {

struct LoweringOptions {
  OptimizeLevel level = OptimizeLevel::all;
  /// In order of preference; the last runs everything that the others leave.
  std::span<const std::shared_ptr<const Provider>> providers;
  bool strict_provider = false;  ///< all nodes on the first provider
  PinnedProvider pinned;         ///< may be null
  /// Whether a pass or rule of that name is left out; may be null. Passes that are required run all
  /// the same.
  std::function<bool(std::string_view)> is_skipped;
  bool keeps_events = false;  ///< the report tells each rewrite
  const StopToken* stop = nullptr;
};

/// What one pass of lowering did.
struct LoweringRecord {
  std::string_view name;
  std::int64_t nodes_before = 0;  ///< of all graphs
  std::int64_t nodes_after = 0;
  std::int64_t applied = 0;  ///< changes, where the pass counts them
  double milliseconds = 0;
};

struct LoweringReport {
  std::vector<LoweringRecord> passes;  ///< those that ran, in their order
  RewriteReport rewrites;              ///< of the pass `rewrite`
};

/// A model whose graph a session can run, but for what lowering found out beside it.
struct LoweredModel {
  PromotedValues promoted;
  PlacedGraphs placed;
  LoweringReport report;
};

/// A pass as users see it.
struct LoweringPassInfo {
  std::string_view name;
  std::string_view summary;
  OptimizeLevel level;  ///< from which on it runs
  bool is_required;     ///< cannot be skipped
};

/// The pass that stands for the groups of pipeline().
inline constexpr std::string_view rewrite_pass_name = "rewrite";

/// Every pass of lowering in its order.
std::vector<LoweringPassInfo> describe_lowering();

/// Lowers `model` in place. Throws what is wrong with the model, ErrorCode::unsupported listing all
/// operators that nothing can run, and what place() throws.
LoweredModel lower(Model& model, const LoweringOptions& options, const CompileContext& context);

}  // namespace ortool
