// Group parameters: one scale and zero point for each group of values of a plan, from calibration.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "libcore/quantize/calibrate/calibration.hpp"
#include "libcore/quantize/calibrate/methods.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "libcore/quantize/scheme/plan_choices.hpp"

namespace ortool {

/// Every value whose range a plan may need, whatever nodes are excluded later: the inputs and
/// outputs of quantizable nodes. In order, each once, without constants.
std::vector<ValueRequest> requested_values(const QuantizePlan& plan);

/// How the range of a value of the plan was chosen.
struct ChosenValue {
  std::string name;
  std::int64_t group = 0;
  ChosenRange chosen;
};

/// Memoizes choose_range(), for many plans of one calibration. Not thread-safe; the records must
/// outlive this object and stay as they are.
class RangeCache {
 public:
  const ChosenRange& choose(const ValueRecord& record, QuantizationType type,
                            const MethodOptions& options);

 private:
  using Key = std::tuple<const ValueRecord*, DataType, bool, bool, CalibrationMethod, double>;
  std::map<Key, ChosenRange> known_;
};

/// Where the parameters of a plan come from.
struct ParamsSource {
  const Calibration* calibration = nullptr;  ///< null: only `choices`
  QuantizationType type;
  MethodOptions method;
  const PlanChoices* choices = nullptr;  ///< of values; null: none
  RangeCache* ranges = nullptr;          ///< null: every range is computed
};

/// A scale for each group of the plan: the one that a choice gives for any of its values, otherwise
/// one that covers the ranges chosen for all of them. `chosen` receives an entry per value. Throws
/// ErrorCode::invalid when choices within a group contradict each other, and for values that
/// neither the choices nor the calibration know.
std::vector<GroupParams> choose_group_params(const QuantizePlan& plan, const ParamsSource& source,
                                             std::vector<ChosenValue>& chosen);

/// Whether a node has an input or output that calibration never saw, as in a branch not taken.
bool reads_unseen(const Node& node, const Calibration& calibration);

}  // namespace ortool
