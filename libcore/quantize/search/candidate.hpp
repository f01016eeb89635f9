// Quantised forms that are tried: made, looked at, and thrown away.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcore/quantize/report/made_plan.hpp"
#include "libcore/quantize/search/static_maker.hpp"

namespace ortool {

/// A quantised copy of the prepared model.
struct Candidate {
  std::unique_ptr<Model> model;
  MadePlan plan;
};

/// A node that can be left in float by itself: a product, or what lies between products.
struct Unit {
  std::string plan_name;
  std::string name;  ///< by which --exclude finds it
  bool is_product = false;
  /// The noise of its result by the signal, less the noise of what it reads: what it adds.
  double added_noise = 0;
};

/// Quantises a model, the prepared one or a copy or part of it.
using MakeForm = std::function<MadePlan(Model& model, const PlanChoices& choices)>;

/// Makes candidates of one prepared model.
class CandidateMaker {
 public:
  /// `prepared` and what `make_form` refers to outlive this; `prepared` stays as it is.
  CandidateMaker(const QuantizeContext& context, const Model& prepared, MakeForm make_form)
      : context_(context), prepared_(prepared), make_form_(std::move(make_form)) {}
  CandidateMaker(const QuantizeContext& context, const Model& prepared, StaticMaker& maker)
      : CandidateMaker(context, prepared, [&maker](Model& model, const PlanChoices& choices) {
          return maker.make(model, choices);
        }) {}

  Candidate make(const PlanChoices& choices) const { return make_of(prepared_, choices); }
  /// The same of a part of the prepared model.
  Candidate make_of(const Model& part, const PlanChoices& choices) const;
  /// A session of it, as fast as it can be made, or node by node.
  std::unique_ptr<Session> session(const Model& model, OptimizeLevel level) const;
  const QuantizeContext& context() const { return context_; }
  const Model& prepared() const { return prepared_; }

 private:
  const QuantizeContext& context_;
  const Model& prepared_;
  MakeForm make_form_;
};

/// The quantised nodes of a plan that can be left out one by one, in order. Those that are computed
/// together with the node before them belong to it.
std::vector<Unit> units_of(const MadePlan& plan);

/// The same with what each adds to the noise, the most first.
std::vector<Unit> units_by_noise(const MadePlan& plan, const EndToEnd& compared);

/// Of the outputs that were compared, the lowest signal-to-noise ratio; infinite where all agree.
double worst_sqnr_db(const std::vector<OutputError>& outputs);

/// Adds the choice that leaves a node in float.
void leave_float(PlanChoices& choices, const std::string& plan_name, std::string reason);

}  // namespace ortool
