// The way from the file's model to the one to write, which can be gone again up to some change.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/optimize/embedding.hpp"
#include "apps/ortool/optimize/optimize_settings.hpp"
#include "apps/ortool/options/model_argument.hpp"
#include "libcore/base/file/standard_input.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/precision/convert_float16.hpp"
#include "libcore/optimize/rewrite/closest_matches.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

inline constexpr std::int64_t all_rewrites = std::numeric_limits<std::int64_t>::max();

/// Whether a graph input is a weight with a default, which --fp16 makes a constant.
bool is_weight_input(const Value& input);

/// Everything that decides what a model becomes. The same model and number of rewrites give the
/// same result each time.
class Rewriting {
 public:
  /// `groups` are what runs; `provider` computes constants. All outlive this.
  Rewriting(const Invocation& invocation, const OptimizeSettings& settings,
            const std::vector<RuleGroup>& groups, const Provider& provider);

  /// The model of the command line as it is.
  LoadedModel load_file() const;
  /// The same with its shapes fixed, cut to the part that the options ask for, and what pictures
  /// need put in front: what the result is compared with.
  std::unique_ptr<Model> prepare(std::unique_ptr<Model> model) const;
  std::unique_ptr<Model> load() const { return prepare(load_file().model); }

  /// Rewrites a model, types inferred before and after; `most_rewrites` ends it early.
  RewriteReport apply(Model& model, std::int64_t most_rewrites = all_rewrites) const;
  /// The same by one rule or pass alone.
  RewriteReport apply_only(Model& model, std::string_view pass) const;

  /// Where patterns of the passes that were wanted are found in part in a model that was rewritten.
  std::vector<ClosestMatch> closest(const Model& model) const;

  /// That the model lies in.
  std::string folder() const;
  /// With --fp16: from now on apply() also converts, all but the nodes that `reasons` names.
  void convert_floats(std::map<std::string, std::string> reasons) {
    reasons_to_keep_ = std::move(reasons);
    converts_floats_ = true;
  }
  /// What the last apply() converted.
  const Float16Report& float16() const { return float16_; }
  const OptimizeSettings& settings() const { return settings_; }
  /// Whether every pass that acted keeps all bits, and the conversion to another opset does.
  bool keeps_bits(const RewriteReport& report) const;
  bool has_fixed_shapes() const;
  bool is_part() const;
  /// Whether what the file's own inputs take is what the result takes.
  bool keeps_inputs() const { return !is_part() && embeddings_.empty(); }
  /// What the last prepare() put in front of inputs.
  const std::vector<Embedding>& embeddings() const { return embeddings_; }

 private:
  std::unique_ptr<Model> cut(std::unique_ptr<Model> model) const;
  void convert(Model& model) const;
  RewriteReport rewrite(Model& model, RewriteOptions options) const;
  bool is_wanted(std::string_view name) const;
  const PassDescription* find_pass(std::string_view name) const;
  OptimizeLevel level_of(std::string_view pass) const;

  const Invocation& invocation_;
  const OptimizeSettings& settings_;
  const std::vector<RuleGroup>& groups_;
  std::vector<PassDescription> descriptions_;
  const Provider& provider_;
  bool converts_floats_ = false;
  std::map<std::string, std::string> reasons_to_keep_;  ///< by node
  mutable Float16Report float16_;
  mutable std::vector<Embedding> embeddings_;
  mutable bool conversion_rounds_ = false;
  StandardInput standard_input_;  ///< the model, where it comes from there
};

}  // namespace ortool
