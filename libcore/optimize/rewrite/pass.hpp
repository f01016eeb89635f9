// What is done to a whole model at once, where a pattern at one place cannot see enough.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {

/// The same as a rule to whoever lists, chooses or reports them.
struct Pass {
  std::string_view name;
  std::string_view summary;
  OptimizeLevel level = OptimizeLevel::basic;
  Evidence evidence = Evidence::sampled;
  /// Changes the model; adds what it changed to the report. Types are inferred before, and after it
  /// as good as before. The time grows as the model does.
  std::function<void(Model&, const RewriteOptions&, RewriteReport&)> run;
};

/// Tells a report of a change, or with a reason of one left out.
class PassNotes {
 public:
  PassNotes(std::string_view name, const RewriteOptions& options, RewriteReport& report)
      : name_(name), options_(options), report_(report) {}

  /// Asked before each change, with the node or value it concerns: false, leave it as it is.
  /// Whoever looks for the change that did harm ends the optimiser after ever fewer.
  [[nodiscard]] bool permits(std::string_view what) {
    if (report_.rewrites >= options_.most_rewrites) return false;
    changed(what);
    return true;
  }
  /// For changes that cannot be had one by one.
  void changed(std::string_view what) {
    ++report_.rewrites;
    if (options_.keeps_events)
      report_.events.push_back({name_, std::string(what), {}, {std::string(what)}});
  }
  /// The same of a change that replaced several nodes, the last of which made their result.
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
