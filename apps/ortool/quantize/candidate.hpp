// Quantised forms that are tried: made, looked at, and thrown away.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/ortool/quantize/static_maker.hpp"

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

/// Makes candidates of one prepared model.
class CandidateMaker {
 public:
  /// `prepared` and `maker` outlive this; `prepared` stays as it is.
  CandidateMaker(const QuantizeContext& context, const Model& prepared, StaticMaker& maker)
      : context_(context), prepared_(prepared), maker_(maker) {}

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
  StaticMaker& maker_;
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
