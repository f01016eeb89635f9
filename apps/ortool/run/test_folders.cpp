// Test folders in ONNX's backend test layout: runs them and reports pass or fail.
#include "apps/ortool/run/test_folders.hpp"

#include <algorithm>
#include <filesystem>

#include "apps/ortool/report/comparison_block.hpp"
#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/dataset/values/value_set.hpp"

namespace ortool {
namespace {

constexpr std::string_view folder_prefix = "test_data_set_";

NamedValues read_inputs(const ValueSet& set, const Session& session, const std::string& folder,
                        MemoryCap& cap) {
  NamedValues inputs;
  std::vector<std::string> missing;
  const std::span<Value* const> wanted = session.model().inputs();
  const auto positions = input_positions(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string name(wanted[i]->name());
    auto found = set.find(*wanted[i], positions[i], cap);
    if (found) {
      inputs.emplace_back(name, std::move(found->value));
    } else if (positions[i]) {
      missing.push_back(name);
    }
  }
  if (missing.empty()) return inputs;
  throw Error(ErrorCode::invalid, format("{}: no data for: {}", folder, list_names(missing)),
              "a test folder holds input_0.pb, input_1.pb and so on")
      .with_id("input.missing");
}

struct TestResult {
  bool has_passed = true;
  double max_abs_error = 0;
  std::int64_t other_classes = 0;  ///< elements of class maps that differ
  std::string reason;
  Json outputs = Json::list();
};

TestResult compare_outputs(const Session& session, const std::vector<RunValue>& found,
                           const std::string& folder, const Judge& judge, MemoryCap& cap) {
  const ValueSet set(folder, "output");
  TestResult result;
  bool has_any = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string name(session.outputs()[i]->name());
    const auto expected = set.find(*session.outputs()[i], i, cap);
    if (!expected) continue;
    has_any = true;
    const Judge::Verdict verdict = judge.compare_output(name, found[i], expected->value);
    result.outputs.add(comparison_block(name, expected->source, verdict));
    if (judge.is_class_map(name)) {
      result.other_classes += verdict.comparison.mismatched;
    } else {
      result.max_abs_error = std::max(result.max_abs_error, verdict.comparison.max_abs_error);
    }
    if (verdict.has_passed) continue;
    result.has_passed = false;
    if (result.reason.empty()) result.reason = format("output {}: {}", quote(name), verdict.reason);
  }
  if (!has_any) {
    throw Error(ErrorCode::invalid, format("{}: holds no expected output", folder),
                "a test folder holds output_0.pb, output_1.pb and so on")
        .with_id("input.missing");
  }
  return result;
}

std::string verdict_text(const TestResult& result) {
  if (!result.has_passed) return format(": FAIL ({})\n", result.reason);
  const std::string error = readable_number(result.max_abs_error);
  if (result.other_classes == 0) return format(": pass (max error {})\n", error);
  return format(": pass (max error {}; {} classes differ)\n", error, result.other_classes);
}

}  // namespace

std::vector<std::string> find_test_folders(const std::string& folder) {
  const std::filesystem::path base = folder.empty() ? "." : folder;
  std::vector<std::pair<std::int64_t, std::string>> found;
  const int failure = list_folder(base.string(), [&](const std::string& name) {
    std::int64_t number = 0;
    std::error_code unknown;
    const bool is_test = name.starts_with(folder_prefix) &&
                         read_integer(name.substr(folder_prefix.size()), number) &&
                         std::filesystem::is_directory(base / name, unknown);
    if (is_test) found.emplace_back(number, (base / name).string());
    return true;
  });
  if (failure != 0) {
    throw Error(ErrorCode::invalid,
                format("{}: cannot be listed: {}", base.string(), error_text(failure)))
        .with_id("input.tests");
  }
  if (found.empty()) {
    throw Error(ErrorCode::invalid, format("{}: holds no folder test_data_set_0", base.string()),
                "--test-dir names the folder that holds them")
        .with_id("input.tests");
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> folders;
  for (auto& [number, path] : found) folders.push_back(std::move(path));
  return folders;
}

bool run_test_folders(const Invocation& invocation, const Session& session,
                      const RunOptions& run_options, const Judge& judge,
                      const std::vector<std::string>& folders, Json& tests) {
  bool have_all_passed = true;
  Progress progress(invocation.task(), "testing");
  std::int64_t done = 0;
  for (const std::string& folder : folders) {
    invocation.stop.poll();
    progress.tell_done(done++, static_cast<std::int64_t>(folders.size()));
    const ValueSet inputs(folder, "input");
    const std::vector<RunValue> found =
        session.run(read_inputs(inputs, session, folder, invocation.memory), run_options);
    TestResult result = compare_outputs(session, found, folder, judge, invocation.memory);
    const std::string name = std::filesystem::path(folder).filename().string();
    invocation.report.text += name + verdict_text(result);
    tests.add(Json::object()
                  .set("name", name)
                  .set("passed", result.has_passed)
                  .set("outputs", std::move(result.outputs)));
    have_all_passed = have_all_passed && result.has_passed;
  }
  return have_all_passed;
}

}  // namespace ortool
