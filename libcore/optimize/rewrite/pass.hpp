// Optimizer pass: a transformation of the whole model, where a local pattern cannot see enough.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {

/// Listed, selected and reported in the same way as a rule.
struct Pass {
  std::string_view name;
  std::string_view summary;
  OptimizeLevel level = OptimizeLevel::basic;
  Evidence evidence = Evidence::sampled;
  /// Changes the model and adds the changes to the report. Types are inferred before, and remain as
  /// complete. Time is linear in the size of the model.
  std::function<void(Model&, const RewriteOptions&, RewriteReport&)> run;
};

/// Records a pass's changes, and with a reason those left out.
class PassNotes {
 public:
  PassNotes(std::string_view name, const RewriteOptions& options, RewriteReport& report)
      : name_(name), options_(options), report_(report) {}

  /// Called before each change, with the node or value concerned; false: leave it unchanged. A
  /// search for the change that broke a model limits the optimizer to ever fewer changes.
  [[nodiscard]] bool permits(std::string_view what) {
    if (report_.rewrites >= options_.max_rewrites) return false;
    changed(what);
    return true;
  }
  /// For changes that cannot be made individually.
  void changed(std::string_view what) {
    ++report_.rewrites;
    if (options_.keeps_events)
      report_.events.push_back({name_, std::string(what), {}, {std::string(what)}});
  }
  /// For a change that replaced several nodes, the last of which produced the result.
  void changed(std::vector<std::string> members) {
    ++report_.rewrites;
    if (!options_.keeps_events) return;
    std::string node = members.back();
    report_.events.push_back({name_, std::move(node), {}, std::move(members)});
  }
  void left(std::string_view what, std::string reason) {
    if (options_.keeps_events)
      report_.events.push_back({name_, std::string(what), std::move(reason), {}});
  }

 private:
  std::string_view name_;
  const RewriteOptions& options_;
  RewriteReport& report_;
};

}  // namespace ortool
