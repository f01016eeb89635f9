// Collects findings without duplicates, errors first.
#include "libcore/check/finding.hpp"

#include <algorithm>
#include <utility>

namespace ortool {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    default:
      return "info";
  }
}

const CheckRule* find_check_rule(std::string_view id) {
  const auto rules = check_rules();
  const auto found = std::lower_bound(
      rules.begin(), rules.end(), id,
      [](const CheckRule& rule, std::string_view wanted) { return rule.id < wanted; });
  return found != rules.end() && found->id == id ? &*found : nullptr;
}

void Findings::add(std::string_view rule, Place place, std::string message) {
  const CheckRule* row = find_check_rule(rule);
  ORTOOL_CHECK(row != nullptr);
  add({std::string(rule), row->severity, std::move(place.node), std::move(place.value),
       std::move(message), std::string(row->remedy)});
}

void Findings::add(const Error& error, std::string_view value) {
  const bool is_about_the_model =
      error.code() == ErrorCode::invalid || error.code() == ErrorCode::unsupported ||
      (error.code() == ErrorCode::memory_limit && error.id() == "limit.memory");
  if (!is_about_the_model) throw error;
  if (error.code() == ErrorCode::memory_limit && !memory_error_) memory_error_ = error;
  const CheckRule* rule = find_check_rule(error.id());
  if (rule == nullptr) {
    rule = find_check_rule(error.code() == ErrorCode::unsupported ? "model.unsupported"
                           : error.node().empty()                 ? "model.invalid"
                                                                  : "node.invalid");
  }
  add({std::string(rule->id), rule->severity, error.node(), std::string(value), error.message(),
       error.hint().empty() ? std::string(rule->remedy) : error.hint()});
}

void Findings::add(Finding finding) {
  std::int64_t& count = counts_[static_cast<std::size_t>(finding.severity)];
  if (count >= static_cast<std::int64_t>(most)) {
    ++left_out_;
    return;
  }
  if (!seen_.emplace(finding.rule, finding.node, finding.value, finding.message).second) return;
  ++count;
  if (finding.severity == Severity::error && finding.rule.starts_with("node.")) {
    error_nodes_.insert(finding.node);
  }
  list_.push_back(std::move(finding));
}

std::vector<Finding> Findings::take() {
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  seen_.clear();
  return std::exchange(list_, {});
}

}  // namespace ortool
