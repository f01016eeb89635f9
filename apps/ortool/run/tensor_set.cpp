// Finding a value's tensor by name or position.
#include "apps/ortool/run/tensor_set.hpp"

#include <algorithm>
#include <filesystem>

#include "apps/ortool/options/named_value.hpp"
#include "apps/ortool/run/tensor_file.hpp"
#include "apps/ortool/suggest.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/onnx/load.hpp"

namespace ortool {
namespace {

std::string stem_of(const std::string& file) {
  return file.substr(0, file.size() - extension_of(file).size());
}

bool names_value(std::string_view stem, std::string_view kind, std::string_view name,
                 std::size_t position) {
  return stem == name || stem == format("{}_{}", kind, position);
}

}  // namespace

TensorFileOptions file_options_for(const Value& value, MemoryCap& cap) {
  TensorFileOptions options;
  options.cap = &cap;
  if (!value.type().is_tensor()) return options;
  if (value.type().element != DataType::undefined) options.type = value.type().element;
  if (!value.type().shape) return options;
  for (const Dimension& dimension : *value.type().shape) {
    options.dimensions.push_back(dimension.is_known() ? dimension.number() : -1);
  }
  return options;
}

TensorSet::TensorSet(std::string path, std::string kind)
    : path_(std::move(path)), kind_(std::move(kind)) {
  std::error_code failure;
  if (!std::filesystem::is_directory(path_, failure)) {
    if (extension_of(path_) != ".npz" && std::filesystem::exists(path_, failure)) {
      throw Error(ErrorCode::invalid, format("{}: is neither a folder nor an .npz file", path_),
                  "give a folder of tensor files, or an .npz")
          .with_id("input.set");
    }
    archive_ = std::make_unique<NpzFile>(path_);
    return;
  }
  for (std::filesystem::directory_iterator entry(path_, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string file = entry->path().filename().string();
    const std::string extension = extension_of(file);
    if (is_tensor_extension(extension) && extension != ".npz") files_.push_back(file);
  }
  if (failure) {
    throw Error(ErrorCode::invalid, format("{}: cannot be listed: {}", path_, failure.message()))
        .with_id("input.set");
  }
  std::sort(files_.begin(), files_.end());
}

TensorSet::~TensorSet() = default;

bool TensorSet::is_empty() const {
  return archive_ != nullptr ? archive_->names().empty() : files_.empty();
}

bool TensorSet::names_itself(const std::string& file, std::string_view name) const {
  if (extension_of(file) != ".pb" || !file.starts_with(kind_ + "_")) return false;
  std::string own;
  load_tensor((std::filesystem::path(path_) / file).string(), &own);
  return own == name;
}

std::optional<TensorSet::Found> TensorSet::find(const Value& value, std::size_t position,
                                                MemoryCap& cap) const {
  const std::string_view name = value.name();
  if (archive_ != nullptr) {
    const std::string numbered = format("{}_{}", kind_, position);
    const std::string key(archive_->contains(name) ? name : numbered);
    if (!archive_->contains(key)) return std::nullopt;
    return Found{archive_->read(key, &cap), path_};
  }
  const auto read = [&](const std::string& file) {
    const std::string path = (std::filesystem::path(path_) / file).string();
    return Found{read_tensor_file(path, name, file_options_for(value, cap)), path};
  };
  for (const std::string& file : files_) {
    if (names_itself(file, name)) return read(file);
  }
  for (const std::string& file : files_) {
    if (names_value(stem_of(file), kind_, name, position)) return read(file);
  }
  return std::nullopt;
}

void TensorSet::check_all_known(std::span<Value* const> values) const {
  const auto is_known = [&](std::string_view stem) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (names_value(stem, kind_, values[i]->name(), i)) return true;
    }
    return false;
  };
  const std::string other_kind = kind_ == "input" ? "output_" : "input_";
  std::vector<std::string> stems;
  if (archive_ != nullptr) {
    stems = archive_->names();
  } else {
    for (const std::string& file : files_) {
      if (!file.starts_with(other_kind)) stems.push_back(stem_of(file));
    }
  }
  for (const std::string& stem : stems) {
    if (is_known(stem)) continue;
    throw unknown_name(kind_, stem, kind_ + "s", names_of(values)).in(path_);
  }
  if (stems.empty()) {
    throw Error(ErrorCode::invalid, format("{}: holds no tensor", path_),
                format("call the files {}_0.npy, {}_1.npy and so on, or by the {}s' names", kind_,
                       kind_, kind_))
        .with_id("input.set");
  }
}

}  // namespace ortool
