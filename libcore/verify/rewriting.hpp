// Repeatable rewriting of a model, which can be stopped after a given number of changes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/task_context.hpp"
#include "libcore/dataset/embedding.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/precision/convert_16_bits.hpp"
#include "libcore/optimize/rewrite/closest_matches.hpp"
#include "libcore/optimize/target/target.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

inline constexpr std::int64_t all_rewrites = std::numeric_limits<std::int64_t>::max();

/// The target of the rewriting.
struct OptimizeSettings {
  OptimizeLevel level = OptimizeLevel::extended;
  std::vector<std::string> passes;  ///< only these, whatever their level; empty: all of the level
  std::vector<std::string> skipped;
  bool explains = false;
  Target target = Target::any;              ///< whose operators may be saved
  bool freezes_defaults = true;             ///< inputs with a default become constants
  DataType float_type = DataType::float32;  ///< what nodes compute in; or float16, bfloat16
  std::vector<std::string> kept_globs;      ///< names of nodes that stay in float32
  std::int64_t opset = 0;                   ///< target opset; 0: the model's own
  int runs = 0;                             ///< number of runs to compare; 0: no comparison
  bool must_verify = false;                 ///< the user requested it

  bool has_16_bits() const { return float_type != DataType::float32; }
};

/// The model to rewrite, and what is done to it before anything is compared. Functions other than
/// `load` may be empty.
struct RewriteSource {
  std::function<std::unique_ptr<Model>()> load;  ///< the same model each time
  std::string folder = {};                       ///< of the model, for test data in it
  std::function<void(Model&)> fix_shapes = {};   ///< gives free dimensions sizes
  bool has_fixed_shapes = false;
  std::vector<std::string> extracted_inputs = {};   ///< values where the part to keep begins
  std::vector<std::string> extracted_outputs = {};  ///< and ends; both empty: the whole model
  std::vector<std::string> embedded_pictures = {};  ///< for embed_pictures()
};

/// Whether a graph input is a weight with a default, which a conversion to 16 bits makes a
/// constant.
bool is_weight_input(const Value& input);

/// Everything that determines the rewritten model. The same model and number of rewrites always
/// give the same result.
class Rewriting {
 public:
  /// `groups` are run; `provider` folds constants. All must outlive this object.
  Rewriting(TaskContext task, RewriteSource source, const OptimizeSettings& settings,
            const std::vector<RuleGroup>& groups, const Provider& provider);

  /// The same for other settings, which must outlive the copy.
  Rewriting(const Rewriting& other, const OptimizeSettings& settings);

  /// The model with fixed shapes, reduced to the requested part, with embedded preprocessing: the
  /// reference for the result.
  std::unique_ptr<Model> prepare(std::unique_ptr<Model> model) const;
  std::unique_ptr<Model> load() const { return prepare(source_.load()); }

  /// Rewrites a model, with types inferred before and after; `max_rewrites` stops it early, and
  /// `progress` (may be null) counts passes.
  RewriteReport apply(Model& model, std::int64_t max_rewrites = all_rewrites,
                      Progress* progress = nullptr) const;
  /// The same by one rule or pass only.
  RewriteReport apply_only(Model& model, std::string_view pass) const;

  /// Partial matches of the requested passes' patterns in a rewritten model.
  std::vector<ClosestMatch> closest(const Model& model) const;

  /// Of the model.
  const std::string& folder() const { return source_.folder; }
  /// For 16 bits: from now on apply() also converts everything except the nodes in `reasons`.
  void convert_floats(std::map<std::string, std::string> reasons) {
    reasons_to_keep_ = std::move(reasons);
    converts_floats_ = true;
  }
  /// What the last apply() converted.
  const FloatConversionReport& float_conversion() const { return float_conversion_; }
  const OptimizeSettings& settings() const { return settings_; }
  /// Whether every pass that acted, and the opset conversion if there was one, keeps results
  /// bit-identical.
  bool keeps_bits(const RewriteReport& report) const;
  /// Whether layers that round their inputs to 8 bits no longer do, because the target has no such
  /// layers.
  bool drops_rounding() const { return target_drops_rounding_; }
  bool has_fixed_shapes() const { return source_.has_fixed_shapes; }
  bool is_part() const;
  /// Whether the result takes the same inputs as the file.
  bool keeps_inputs() const { return !is_part() && embeddings_.empty(); }
  /// Whether prepare() converts the model to a newer opset, whose nodes the preprocessing may use.
  bool converts_before_embedding(const Model& model) const;
  /// The same without embedded preprocessing.
  Rewriting without_embedding() const;
  /// The preprocessing that the last prepare() embedded.
  const std::vector<Embedding>& embeddings() const { return embeddings_; }

 private:
  std::unique_ptr<Model> cut(std::unique_ptr<Model> model) const;
  void convert(Model& model) const;
  RewriteReport rewrite(Model& model, RewriteOptions options, Progress* progress = nullptr) const;
  bool is_wanted(std::string_view name) const;
  const PassDescription* find_pass(std::string_view name) const;
  OptimizeLevel level_of(std::string_view pass) const;

  TaskContext task_;
  RewriteSource source_;
  const OptimizeSettings& settings_;
  const std::vector<RuleGroup>& groups_;
  std::vector<PassDescription> descriptions_;
  const Provider& provider_;
  bool converts_floats_ = false;
  std::map<std::string, std::string> reasons_to_keep_;  ///< by node
  mutable FloatConversionReport float_conversion_;
  mutable std::vector<Embedding> embeddings_;
  mutable bool conversion_rounds_ = false;
  mutable bool target_rounds_ = false;
  mutable bool target_drops_rounding_ = false;
};

}  // namespace ortool
