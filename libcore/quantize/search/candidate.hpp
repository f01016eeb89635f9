// Candidates: quantized models that are built, evaluated and discarded during a search.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/quantize/report/made_plan.hpp"
#include "libcore/quantize/search/static_quantizer.hpp"

namespace ortool {

/// A quantized copy of the prepared model.
struct Candidate {
  std::unique_ptr<Model> model;
  MadePlan plan;
};

/// A node that can be left in float individually: a product, or a node between products.
struct Unit {
  std::string plan_name;
  std::string name;  ///< that --exclude matches
  bool is_product = false;
  /// The noise-to-signal ratio of its result minus that of its inputs: the noise that it adds.
  double added_noise = 0;
};

/// Quantizes a model: the prepared one, or a copy or part of it.
using MakeQuantized = std::function<MadePlan(Model& model, const PlanChoices& choices)>;

/// Builds candidates of one prepared model.
class CandidateBuilder {
 public:
  /// `prepared`, which is not modified, and what `make_quantized` refers to must outlive this
  /// object.
  CandidateBuilder(const QuantizeContext& context, const Model& prepared,
                   MakeQuantized make_quantized)
      : context_(context), prepared_(prepared), make_quantized_(std::move(make_quantized)) {}
  CandidateBuilder(const QuantizeContext& context, const Model& prepared, StaticQuantizer& builder)
      : CandidateBuilder(context, prepared, [&builder](Model& model, const PlanChoices& choices) {
          return builder.make(model, choices);
        }) {}

  Candidate make(const PlanChoices& choices) const { return make_of(prepared_, choices); }
  /// A candidate of a part of the prepared model.
  Candidate make_of(const Model& part, const PlanChoices& choices) const;
  /// A session on it, optimized or node by node.
  std::unique_ptr<Session> session(const Model& model, OptimizeLevel level) const;
  const QuantizeContext& context() const { return context_; }
  const Model& prepared() const { return prepared_; }

 private:
  const QuantizeContext& context_;
  const Model& prepared_;
  MakeQuantized make_quantized_;
};

/// The quantized nodes of a plan that can be left out individually, in order. Nodes fused with a
/// preceding node belong to its unit.
std::vector<Unit> units_of(const MadePlan& plan);

/// The same with the noise that each adds, the noisiest first.
std::vector<Unit> units_by_noise(const MadePlan& plan, const EndToEnd& compared);

/// The lowest SQNR of the compared outputs; infinite when all agree.
double worst_sqnr_db(const std::vector<OutputError>& outputs);

/// Adds the choice that leaves a node in float.
void leave_float(PlanChoices& choices, const std::string& plan_name, std::string reason);

}  // namespace ortool
