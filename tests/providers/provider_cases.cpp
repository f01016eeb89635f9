// provider_cases PROVIDER DIFFERENCES [--every N] FILE...: runs operator cases, or each Nth of
// them, with a provider in front of cpu, and counts those that it claims, passes and refuses, with
// the reasons. Exit code 1 if a claimed case fails that DIFFERENCES does not list, or a listed one
// passes; 77 if it is not available.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "libcore/base/format.hpp"
#include "libcore/runtime/session.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/provider_list.hpp"
#include "tests/ops/case_file.hpp"
#include "tests/ops/case_model.hpp"

namespace {

using namespace ortool;
using test::OpCase;

constexpr int some_threads = 2;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::invalid, "the file cannot be read").in(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Lines "FILE: CASE  # reason" of one provider, under a line "[PROVIDER]".
std::map<std::string, std::string> read_differences(const std::string& path,
                                                    const std::string& provider) {
  std::map<std::string, std::string> result;
  std::istringstream lines(read_text(path));
  std::string line;
  bool is_ours = false;
  while (std::getline(lines, line)) {
    if (line.starts_with('[')) is_ours = line == format("[{}]", provider);
    const std::size_t mark = line.find("  # ");
    if (!is_ours || line.starts_with('#') || mark == std::string::npos) continue;
    result.emplace(line.substr(0, mark), line.substr(mark + 4));
  }
  return result;
}

/// Their libraries may round otherwise than our kernels, which the tolerance of a case is made for.
Tolerance looser_tolerance(const OpCase& each, DataType type) {
  double least = 1e-4;
  if (type == DataType::float16) least = 1e-2;
  if (type == DataType::bfloat16) least = 2e-2;
  Tolerance tolerance = each.tolerance;
  tolerance.rtol = std::max(tolerance.rtol, least);
  tolerance.atol = std::max(tolerance.atol, type == DataType::float32 ? least / 10 : least);
  return tolerance;
}

struct Counts {
  int read = 0;
  int cases = 0;
  int claimed = 0;
  int passed = 0;
  int different = 0;  ///< listed
};

class ProviderRun {
 public:
  ProviderRun(std::shared_ptr<const Provider> provider, std::map<std::string, std::string> listed,
              int every)
      : provider_(std::move(provider)), listed_(std::move(listed)), every_(every) {}

  void run_file(const std::string& path) {
    const std::string name = std::filesystem::path(path).stem().string();
    for (const OpCase& each : test::parse_case_file(read_text(path))) {
      if (++counts_.read % every_ != 0) continue;
      seen_.insert(format("{}: {}", name, each.name));
      ++counts_.cases;
      is_claimed_ = false;
      std::string finding;
      for (const test::ConstantMode& mode : test::modes_of(each)) {
        std::string found = run_mode(each, mode);
        if (finding.empty()) finding = std::move(found);
      }
      if (!is_claimed_) continue;
      ++counts_.claimed;
      claimed_files_.insert(name);
      judge(format("{}: {}", name, each.name), finding);
    }
  }

  /// Prints the counts; the exit code.
  int finish() {
    for (const auto& [key, reason] : listed_) {
      if (used_.contains(key) || !seen_.contains(key)) continue;
      std::printf("PASSES   here: %s, which is listed: %s\n", key.c_str(), reason.c_str());
    }
    std::vector<std::pair<int, std::string>> reasons;
    for (const auto& [reason, count] : reasons_) reasons.emplace_back(count, reason);
    std::sort(reasons.rbegin(), reasons.rend());
    std::printf("%s %s\n", std::string(provider_->name()).c_str(), provider_->version().c_str());
    std::printf(
        "cases %d, claimed %d of %zu files, passed %d, different and listed %d, failed %d\n",
        counts_.cases, counts_.claimed, claimed_files_.size(), counts_.passed, counts_.different,
        failed_);
    std::printf("refused nodes by reason:\n");
    for (const auto& [count, reason] : reasons) std::printf("%7d  %s\n", count, reason.c_str());
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void judge(const std::string& key, const std::string& finding) {
    if (finding.empty()) {
      ++counts_.passed;
    } else if (listed_.contains(key)) {
      ++counts_.different;
      used_.insert(key);
    } else {
      ++failed_;
      std::printf("FAILED   %s: %s\n", key.c_str(), finding.c_str());
    }
  }

  std::string run_mode(const OpCase& each, const test::ConstantMode& mode) {
    NamedValues inputs;
    for (std::size_t i = 0; i < mode.first_constant; ++i)
      inputs.emplace_back(each.inputs[i].name, each.inputs[i].tensor);
    try {
      const Session session(
          test::make_model(each, mode),
          {.providers = {provider_, cpu_}, .pool = &pool_, .threads = some_threads});
      if (!note_placement(session)) return {};
      const std::vector<RunValue> found = session.run(inputs, {.threads = some_threads});
      if (each.error) return format("ran, where \"{}\" is expected", each.error->message_part);
      std::vector<RunValue> references;
      for (std::size_t i = 0; i < found.size(); ++i) {
        Tensor expected = each.outputs[i].tensor;
        if (expected.is_empty()) {
          if (references.empty()) references = reference(each, mode, inputs);
          expected = references[i].tensor();
        }
        const TensorComparison compared =
            compare(found[i].tensor(), expected, looser_tolerance(each, expected.type()));
        if (compared.passed) continue;
        return format("[{}] {}: {}{} of {} elements differ, by {} at most", mode.name,
                      each.outputs[i].name, compared.difference, compared.mismatched,
                      compared.count, compared.max_abs_error);
      }
    } catch (const Error& error) {
      if (each.error) return {};
      return format("[{}] {}", mode.name, error.what());
    }
    return {};
  }

  std::vector<RunValue> reference(const OpCase& each, const test::ConstantMode& mode,
                                  const NamedValues& inputs) const {
    const Session session(test::make_model(each, mode), {.providers = {cpu_}});
    return session.run(inputs, {});
  }

  /// Whether the provider has a part of the model; counts the reasons for other nodes.
  bool note_placement(const Session& session) {
    bool has_part = false;
    const std::string start = format("{}: ", provider_->name());
    for (const Placement& placement : session.placement()) {
      has_part = has_part || placement.provider == provider_->name();
      for (const std::string& reason : placement.reasons) {
        if (reason.starts_with(start)) ++reasons_[shortened(reason.substr(start.size()))];
      }
    }
    is_claimed_ = is_claimed_ || has_part;
    return has_part;
  }

  /// Reasons that differ in the operator, or in places of the library's source, are counted as one.
  static std::string shortened(std::string reason) {
    for (const std::string_view end : {": ", " for "}) {
      const std::size_t from = reason.find(end);
      if (from != std::string::npos) reason.resize(from);
    }
    return reason;
  }

  std::shared_ptr<const Provider> provider_;
  std::shared_ptr<const Provider> cpu_ = make_cpu_provider();
  std::map<std::string, std::string> listed_;
  int every_;
  ThreadPool pool_{some_threads};
  Counts counts_;
  bool is_claimed_ = false;
  int failed_ = 0;
  std::set<std::string> claimed_files_;
  std::set<std::string> seen_;
  std::set<std::string> used_;  ///< listed ones that differ
  std::map<std::string, int> reasons_;
};

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<std::string> words(arguments + 1, arguments + count);
  int every = 1;
  if (words.size() > 3 && words[2] == "--every") {
    every = std::atoi(words[3].c_str());
    words.erase(words.begin() + 2, words.begin() + 4);
  }
  if (words.size() < 3 || every < 1) {
    std::fputs("usage: provider_cases PROVIDER DIFFERENCES [--every N] FILE...\n", stderr);
    return 2;
  }
  const std::string& name = words[0];
  for (const ProviderEntry& entry : provider_list()) {
    if (entry.name != name || entry.make == nullptr) continue;
    const std::shared_ptr<const Provider> provider = entry.make({});
    const std::string reason = provider->unavailable_because();
    if (!reason.empty()) {
      std::printf("skipped: provider '%s' is not available: %s\n", name.c_str(), reason.c_str());
      return 77;
    }
    ProviderRun run(provider, read_differences(words[1], name), every);
    for (std::size_t i = 2; i < words.size(); ++i) run.run_file(words[i]);
    return run.finish();
  }
  std::printf("skipped: there is no provider '%s' in this build\n", name.c_str());
  return 77;
}
