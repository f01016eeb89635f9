// Value sets: finds a value by name or position.
#include "libcore/dataset/values/value_set.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/dataset/values/value_file.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/io/image.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/onnx/value_file.hpp"

namespace ortool {
namespace {

std::string stem_of(const std::string& file) {
  return file.substr(0, file.size() - extension_of(file).size());
}

bool names_value(std::string_view stem, std::string_view kind, std::string_view name,
                 std::optional<std::size_t> position) {
  return stem == name || (position && stem == format("{}_{}", kind, *position));
}

/// What a folder holds, by kind: "2 .md", "1 folder".
std::vector<std::string> kinds_in(const std::string& folder, bool& has_images) {
  std::map<std::string, std::int64_t> counts;
  list_folder(folder, [&](const std::string& name) {
    std::error_code ignored;
    const bool is_folder =
        std::filesystem::is_directory(std::filesystem::path(folder) / name, ignored);
    const std::string extension(extension_of(name));
    has_images = has_images || (!is_folder && is_image_extension(extension));
    ++counts[is_folder ? "folder" : extension.empty() ? "file without a suffix" : extension];
    return true;
  });
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts) kinds.push_back(format("{} {}", count, kind));
  return kinds;
}

/// "key" of "key[0][3]", the name of an element in an archive.
std::string_view without_indices(std::string_view key) {
  while (key.ends_with(']')) {
    const std::size_t open = key.rfind('[');
    if (open == std::string_view::npos || open == 0) break;
    key = key.substr(0, open);
  }
  return key;
}

}  // namespace

ValueSet::ValueSet(std::string path, std::string kind, bool are_cast)
    : path_(std::move(path)),
      kind_(std::move(kind)),
      checks_inputs_(kind_ == "input" && !are_cast) {
  std::error_code failure;
  if (!std::filesystem::is_directory(path_, failure)) {
    if (extension_of(path_) != ".npz" && std::filesystem::exists(path_, failure)) {
      throw Error(ErrorCode::invalid, format("{}: is neither a folder nor an .npz file", path_),
                  "give a folder of files, or an .npz")
          .with_id("input.set");
    }
    archive_ = std::make_unique<NpzFile>(path_);
    return;
  }
  const int unlisted = list_folder(path_, [&](const std::string& file) {
    const std::string extension = extension_of(file);
    if (is_tensor_extension(extension) && extension != ".npz") files_.push_back(file);
    return true;
  });
  if (unlisted != 0) {
    throw Error(ErrorCode::invalid, format("{}: cannot be listed: {}", path_, error_text(unlisted)))
        .with_id("input.set");
  }
  std::sort(files_.begin(), files_.end());
}

ValueSet::~ValueSet() = default;

bool ValueSet::names_itself(const std::string& file, const Value& value) const {
  if (extension_of(file) != ".pb" || !file.starts_with(kind_ + "_")) return false;
  std::string own;
  try {
    load_value((std::filesystem::path(path_) / file).string(), value.type(), &own);
  } catch (const Error&) {
    // A file for another kind of value; whoever reads it reports the error.
    return false;
  }
  return own == value.name();
}

std::optional<ValueSet::Found> ValueSet::find(const Value& value,
                                              std::optional<std::size_t> position,
                                              MemoryCap& cap) const {
  const std::string name(value.name());
  if (archive_ != nullptr) {
    const std::string_view fed = checks_inputs_ ? std::string_view(name) : std::string_view();
    auto found = read_from_archive(*archive_, name, value.type(), fed, &cap);
    if (!found && position) {
      found =
          read_from_archive(*archive_, format("{}_{}", kind_, *position), value.type(), fed, &cap);
    }
    if (!found) return std::nullopt;
    return Found{std::move(*found), path_};
  }
  const auto read = [&](const std::string& file) {
    const std::string path = (std::filesystem::path(path_) / file).string();
    ValueFileOptions options = file_options_for(value.type(), cap);
    options.feeds_input = checks_inputs_;
    return Found{read_value_file(open_value_file(path, cap), value.type(), name, options), path};
  };
  for (const std::string& file : files_) {
    if (names_itself(file, value)) return read(file);
  }
  for (const std::string& file : files_) {
    if (names_value(stem_of(file), kind_, name, position)) return read(file);
  }
  return std::nullopt;
}

void ValueSet::check_all_known(std::span<Value* const> values) const {
  const auto positions = input_positions(values);
  const auto is_known = [&](std::string_view stem) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto position = kind_ == "input" ? positions[i] : std::optional(i);
      if (names_value(stem, kind_, values[i]->name(), position)) return true;
    }
    return false;
  };
  const std::string other_kind = kind_ == "input" ? "output_" : "input_";
  std::vector<std::string> stems;
  if (archive_ != nullptr) {
    for (const std::string& key : archive_->names()) {
      stems.push_back(is_known(key) ? key : std::string(without_indices(key)));
    }
  } else {
    for (const std::string& file : files_) {
      if (!file.starts_with(other_kind)) stems.push_back(stem_of(file));
    }
  }
  const std::vector<std::string> names = names_of(values);
  const bool is_meant = std::any_of(stems.begin(), stems.end(), [&](const std::string& stem) {
    NearestName nearest(stem);
    for (const std::string& name : names) nearest.offer(name);
    return is_known(stem) || !nearest.best().empty();
  });
  if (!stems.empty() && !is_meant && !names.empty()) throw without_values(values);
  for (const std::string& stem : stems) {
    if (!is_known(stem)) throw unknown_name(kind_, stem, kind_ + "s", names).in(path_);
  }
  const bool needs_any = std::any_of(values.begin(), values.end(),
                                     [](const Value* value) { return !value->has_default(); });
  if (stems.empty() && needs_any) throw without_values(values);
}

Error ValueSet::without_values(std::span<Value* const> values) const {
  // What --output-format npz writes.
  const std::string archive = (std::filesystem::path(path_) / format("{}s.npz", kind_)).string();
  std::error_code ignored;
  const std::string names = list_names(names_of(values));
  std::string hint =
      archive_ != nullptr
          ? format("name the arrays {}_0, {}_1 and so on, or after the {}s: {}", kind_, kind_,
                   kind_, names)
          : format("name the files {}_0.npy, {}_1.npy and so on, or after the {}s: {}", kind_,
                   kind_, kind_, names);
  if (std::filesystem::exists(archive, ignored))
    hint = format("give the archive in it: {}", archive);
  bool has_images = false;
  const std::vector<std::string> kinds =
      archive_ != nullptr ? archive_->names() : kinds_in(path_, has_images);
  if (has_images && kind_ == "input")
    hint = format("{} {} runs the model on every image of a folder", setting_name("data"), path_);
  return Error(ErrorCode::invalid,
               format("{}: contains no value of an {}: {}", path_, kind_,
                      kinds.empty() ? "it is empty" : format("it holds {}", list_names(kinds))),
               hint)
      .with_id("input.set");
}

std::vector<std::optional<std::size_t>> input_positions(std::span<Value* const> inputs) {
  std::vector<std::optional<std::size_t>> positions;
  std::size_t next = 0;
  for (const Value* input : inputs) {
    positions.push_back(input->has_default() ? std::nullopt : std::optional(next++));
  }
  return positions;
}

}  // namespace ortool
