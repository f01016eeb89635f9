// Part task: hashes of the model and of the files that options name.
#include "apps/ortool/parts/part_task.hpp"

#include <algorithm>
#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/base/version.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

/// Options that change no result: what is written where, messages, limits, threads, and the shard.
constexpr std::string_view unimportant_options[] = {"shard",
                                                    "part-out",
                                                    "json",
                                                    "format",
                                                    "report",
                                                    "quiet",
                                                    "verbose",
                                                    "progress",
                                                    "log-level",
                                                    "timeout",
                                                    "max-memory",
                                                    "config",
                                                    "threads",
                                                    "data",
                                                    "cache-dir",
                                                    "cache-limit",
                                                    "explain",
                                                    "save-outputs",
                                                    "calibration-data",
                                                    "trace",
                                                    "raw",
                                                    "calibrate-only",
                                                    "validation-data",
                                                    "calibration-cache"};

bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Files count by their content and folders by their name, wherever they are mounted.
std::string value_text(const OptionSpec& option, const std::string& value) {
  if (option.completes != Completion::files) return value;
  if (is_regular_file(value)) return hash_of_file(value);
  std::error_code ignored;
  if (!std::filesystem::is_directory(value, ignored)) return value;
  const std::filesystem::path path = std::filesystem::absolute(value, ignored).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/// The file and the tensors outside it.
std::string hash_of_model(const LoadedModel& loaded) {
  if (loaded.path == "-") {
    throw Error(ErrorCode::invalid, "option --shard: a model from standard input has no shards",
                "give the model as a file")
        .with_id("usage.applies_to_nothing");
  }
  const std::string of_file = hash_of_file(loaded.path);
  Sha256 hash;
  bool has_external = false;
  for (const Value* value : values_in(*loaded.model)) {
    if (!value->is_external || !value->is_constant()) continue;
    has_external = true;
    const Tensor& tensor = value->constant();
    hash.update({tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
  }
  return has_external ? hash_of_text(of_file + hash.finish()) : of_file;
}

}  // namespace

std::string hash_of_file(const std::string& path) {
  return sha256_of(MappedFile::open(path).bytes());
}

std::string hash_of_text(std::string_view text) {
  return sha256_of(std::as_bytes(std::span(text.data(), text.size())));
}

PartTask part_task(const Invocation& invocation, std::string_view command, std::string_view kind,
                   const Shard& shard, const LoadedModel* loaded,
                   std::initializer_list<std::string_view> unimportant) {
  PartTask task;
  task.kind = kind;
  task.version = format("{} ({})", version(), commit());
  if (loaded != nullptr) task.model = hash_of_model(*loaded);
  task.shard = shard;
  task.isa = isa_names().back();
  const auto is_unimportant = [&](std::string_view name) {
    return std::find(std::begin(unimportant_options), std::end(unimportant_options), name) !=
               std::end(unimportant_options) ||
           std::find(unimportant.begin(), unimportant.end(), name) != unimportant.end();
  };
  for (const OptionGroup& group : all_options(find_command(invocation.commands, command))) {
    for (const OptionSpec& option : group.options) {
      if (!invocation.options.has(option.name) || is_unimportant(option.name)) continue;
      std::string text;
      for (const std::string& value : invocation.options.all(option.name))
        text += (text.empty() ? "" : ", ") + value_text(option, value);
      task.settings.emplace_back(std::string(option.name), text);
    }
  }
  return task;
}

}  // namespace ortool
