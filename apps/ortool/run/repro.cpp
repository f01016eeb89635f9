// Reproduction folder: its files.
#include "apps/ortool/run/repro.hpp"

#include <filesystem>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/shell_word.hpp"
#include "libcore/base/version.hpp"
#include "libcore/check/save_checked.hpp"
#include "libcore/dataset/values/value_set.hpp"
#include "libcore/onnx/value_file.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

std::string test_folder(const std::string& folder) {
  return (fs::path(folder) / "test_data_set_0").string();
}

}  // namespace

Repro::Repro(std::string folder) : folder_(std::move(folder)) {
  std::error_code failure;
  if (fs::exists(folder_, failure) && !fs::is_empty(folder_, failure)) {
    throw Error(ErrorCode::invalid, format("{}: the folder is not empty", folder_),
                "give --save-repro a new folder")
        .with_id("output.folder");
  }
  make_folder(test_folder(folder_));
}

void Repro::save(const Model& model, std::string_view name) const {
  save_checked_model(model, (fs::path(folder_) / name).string());
}

void Repro::save_inputs(std::span<const GivenInput> inputs, std::span<Value* const> values) const {
  const auto positions = input_positions(values);
  std::size_t next = 0;
  for (const auto& position : positions) next += std::size_t{position.has_value()};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const GivenInput& input : inputs) {
      if (input.name != values[i]->name()) continue;
      // An input with a default is found by the name inside its file.
      const std::size_t number = positions[i] ? *positions[i] : next++;
      const std::string file = format("input_{}.pb", number);
      save_value((fs::path(test_folder(folder_)) / file).string(), input.name, input.value,
                 values[i]->type());
    }
  }
}

void Repro::save_command(const Invocation& invocation, std::string_view repeat) const {
  std::string line = "ortool";
  for (const std::string& word : invocation.words) line += " " + shell_word(word);
  write_file(
      (fs::path(folder_) / "command.txt").string(),
      format("# ortool {} ({})\n{}\n# reproduce with\n{}\n", version(), commit(), line, repeat));
}

void Repro::save_outputs(std::span<const Output> outputs) const {
  for (const Output& output : outputs) {
    const std::string file = format("output_{}.pb", output.position);
    save_value((fs::path(test_folder(folder_)) / file).string(), output.name, output.value,
               output.type);
  }
}

void Repro::save_report(const Invocation& invocation, std::string_view command) const {
  StringSink document;
  const std::vector<std::string> words(invocation.words.begin(), invocation.words.end());
  invocation.report.write_document(command, words, invocation.report.verdict, document);
  write_file((fs::path(folder_) / "report.json").string(), document.take());
}

}  // namespace ortool
