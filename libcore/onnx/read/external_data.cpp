// External tensor data: checks locations, opens the files safely, and creates views of mapped
// bytes.
#include "libcore/onnx/read/external_data.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/open_beneath.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/invalid.hpp"

namespace ortool::onnx {
namespace {

constexpr std::size_t longest_location = 4096;

std::uint64_t parse_number(std::string_view key, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) {
    throw invalid(format("external data has the {} {}, which is not an integer", key, quote(text)),
                  "write the model again; offsets and lengths are plain decimal numbers",
                  "external.number");
  }
  return number;
}

/// Splits the next component off `rest`; empty for "//" and ".".
std::string next_component(std::string_view& rest) {
  const auto slash = rest.find('/');
  const std::string_view component = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  return component == "." ? std::string() : std::string(component);
}

[[noreturn]] void fail_to_open(const std::string& path, int number) {
  if (number == ELOOP) {
    throw invalid(format("external data {} is, or is behind, a symbolic link", quote(path)),
                  "put the file itself next to the model (cp -L follows links)", "external.path");
  }
  if (number == EXDEV) {
    throw invalid(format("external data {} is outside the model's folder", quote(path)),
                  "external data must be in the model's folder or below it", "external.path");
  }
  if (number == ENOENT || number == ENOTDIR) {
    throw invalid(format("external data {} is missing", quote(path)),
                  "put the file where the model names it, or inspect the model without its weights",
                  "external.missing");
  }
  throw invalid(format("external data {} cannot be opened ({})", quote(path), error_text(number)),
                "check the permissions of file and folder", "external.open");
}

}  // namespace

ExternalReference parse_external_reference(
    std::span<const std::pair<std::string, std::string>> entries,
    std::vector<std::string>& unknown_keys) {
  ExternalReference reference;
  bool has_location = false;
  bool has_offset = false;
  for (const auto& [key, value] : entries) {
    const bool is_again = (key == "location" && has_location) || (key == "offset" && has_offset) ||
                          (key == "length" && reference.length);
    if (is_again) {
      throw invalid(format("external data has two entries {}", quote(key)),
                    "write the model again with one", "external.repeated");
    }
    if (key == "location") {
      reference.location = value;
      has_location = true;
    } else if (key == "offset") {
      reference.offset = parse_number("offset", value);
      has_offset = true;
    } else if (key == "length") {
      reference.length = parse_number("length", value);
    } else if (key != "checksum") {
      unknown_keys.push_back(key);
    }
  }
  check_location(reference.location);
  return reference;
}

void check_location(std::string_view location) {
  const std::string hint = "external data must be in the model's folder or below it";
  if (location.empty()) throw invalid("external data has no location", hint, "external.path");
  if (location.size() > longest_location) {
    throw invalid(format("external data has a location of {} bytes (at most {} are allowed)",
                         location.size(), longest_location),
                  hint, "external.path");
  }
  if (location.find('\0') != std::string_view::npos) {
    throw invalid("external data has a location with a zero byte", hint, "external.path");
  }
  if (location.front() == '/') {
    throw invalid(format("external data has the absolute location {}", quote(location)), hint,
                  "external.path");
  }
  for (std::string_view rest = location; !rest.empty();) {
    if (next_component(rest) == "..") {
      throw invalid(
          format("external data has the location {}, which contains '..'", quote(location)), hint,
          "external.path");
    }
  }
}

ExternalFiles::ExternalFiles(std::string directory) : directory_(std::move(directory)) {}

Tensor ExternalFiles::read(const ExternalReference& reference, DataType type, const Shape& shape) {
  const auto wanted = static_cast<std::uint64_t>(bytes_of(type, shape.element_count()));
  const std::string hint = "the weights belong to another model or are incomplete";
  if (reference.length.value_or(wanted) != wanted) {
    throw invalid(format("external data has {} bytes where {} of shape {} requires {}",
                         *reference.length, name_of(type), shape.to_string(), wanted),
                  hint, "external.size");
  }
  const MappedFile& file = open(reference.location);
  const std::uint64_t size = file.bytes().size();
  if (wanted > size || reference.offset > size - wanted) {
    throw invalid(format("external data {} has {} bytes, too few for {} from byte {}",
                         quote(reference.location), size, wanted, reference.offset),
                  hint, "external.range");
  }
  return Tensor::view(type, shape,
                      file.bytes().subspan(static_cast<std::size_t>(reference.offset),
                                           static_cast<std::size_t>(wanted)),
                      file.owner());
}

Tensor ExternalFiles::zeros(DataType type, const Shape& shape) {
  const std::int64_t wanted = bytes_of(type, shape.element_count());
  if (wanted > zeros_bytes_) {
    const auto size = static_cast<std::size_t>(wanted);
    void* const address =
        ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) {
      throw Error(ErrorCode::memory_limit,
                  format("{} bytes of address space are not available", wanted))
          .with_id("limit.memory");
    }
    zeros_ = std::shared_ptr<const void>(address, [size](void* start) { ::munmap(start, size); });
    zeros_bytes_ = wanted;
  }
  return Tensor::view(
      type, shape, {static_cast<const std::byte*>(zeros_.get()), static_cast<std::size_t>(wanted)},
      zeros_);
}

std::vector<ExternalFile> ExternalFiles::files() const {
  std::vector<ExternalFile> result;
  for (const auto& [location, file] : mapped_) {
    result.push_back(
        {directory_ == "." ? location : directory_ + "/" + location, file.size_bytes()});
  }
  return result;
}

const MappedFile& ExternalFiles::open(const std::string& location) {
  const auto found = mapped_.find(location);
  if (found != mapped_.end()) return found->second;
  if (directory_.empty()) {
    throw invalid("the tensor is in external data, but the model was given without a folder",
                  "give the model as a file next to its weights", "external.path");
  }
  check_location(location);
  const Descriptor descriptor = open_beneath_directory(location);
  MappedFile file;
  try {
    file = MappedFile::from_descriptor(descriptor.number(), directory_ + "/" + location);
  } catch (const Error& error) {
    throw Error(error.code(), format("external data {} {}", quote(location), error.message()),
                error.hint())
        .with_id("external.kind");
  }
  return mapped_.emplace(location, std::move(file)).first->second;
}

Descriptor ExternalFiles::open_beneath_directory(const std::string& location) {
  if (!directory_descriptor_.is_open()) {
    directory_descriptor_ = Descriptor(retry_interrupted(
        [&] { return ::open(directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); }));
    if (!directory_descriptor_.is_open()) fail_to_open(directory_, errno);
  }
  Descriptor file = open_beneath(directory_descriptor_.number(), location);
  if (!file.is_open()) fail_to_open(location, errno);
  return file;
}

}  // namespace ortool::onnx
