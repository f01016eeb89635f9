// Candidate models: noise is compared as a fraction of the signal power.
#include "libcore/quantize/search/candidate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "libcore/graph/algorithms/copy_model.hpp"

namespace ortool {

Candidate CandidateBuilder::make_of(const Model& part, const PlanChoices& choices) const {
  context_.task.stop.poll();
  Candidate candidate;
  candidate.model = copy_model(part);
  candidate.plan = make_quantized_(*candidate.model, choices);
  return candidate;
}

std::unique_ptr<Session> CandidateBuilder::session(const Model& model, OptimizeLevel level) const {
  return make_session(context_.task, context_.machine, model, level);
}

std::vector<Unit> units_of(const MadePlan& plan) {
  std::vector<Unit> units;
  std::set<std::string_view> values;
  for (const ReportedNode& node : plan.nodes) {
    if (!node.is_quantized || !values.insert(node.value).second) continue;
    units.push_back({node.plan_name, node.origins.empty() ? node.name : node.origins.front(),
                     node.role == QuantizeRole::product});
  }
  return units;
}

std::vector<Unit> units_by_noise(const MadePlan& plan, const EndToEnd& compared) {
  std::map<std::string_view, double> noise;
  for (const ValueError& error : compared.values)
    noise[error.value] = std::pow(10.0, -error.sums.sqnr_db() / 10);
  std::map<std::string_view, const ReportedNode*> nodes;
  for (const ReportedNode& node : plan.nodes) nodes.emplace(node.plan_name, &node);
  std::vector<Unit> units = units_of(plan);
  for (Unit& unit : units) {
    const ReportedNode& node = *nodes.at(unit.plan_name);
    double read = 0;
    for (const std::string& value : node.reads) {
      const auto found = noise.find(value);
      if (found != noise.end()) read = std::max(read, found->second);
    }
    const auto made = noise.find(node.value);
    unit.added_noise = made != noise.end() ? made->second - read : 0;
  }
  std::stable_sort(units.begin(), units.end(),
                   [](const Unit& a, const Unit& b) { return a.added_noise > b.added_noise; });
  return units;
}

double worst_sqnr_db(const std::vector<OutputError>& outputs) {
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputError& output : outputs) {
    if (output.sums.count() > 0) worst = std::min(worst, output.sums.sqnr_db());
  }
  return worst;
}

void leave_float(PlanChoices& choices, const std::string& plan_name, std::string reason) {
  NodeChoice& choice = choices.nodes[plan_name];
  choice.is_quantized = false;
  choice.reason = std::move(reason);
}

}  // namespace ortool
