// External weight file: offsets, an unused name, and writing in order.
#include "libcore/onnx/write/external_data_file.hpp"

#include <algorithm>
#include <string_view>

#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/invalid.hpp"
#include "libcore/onnx/read/external_data.hpp"

namespace ortool::onnx {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t small_alignment_bytes = 64;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr int max_names = 1000;

Error bad_name(std::string message, std::string hint) {
  return invalid(std::move(message), std::move(hint), "save.external_name");
}

/// A single path component, so that it cannot leave the folder.
void check_name(const std::string& name) {
  check_location(name);
  if (name.find('/') != std::string::npos || name == ".") {
    throw bad_name(format("the weights file cannot be named {}", quote(name)),
                   "give a name without folders; the file is written next to the model");
  }
}

}  // namespace

ExternalDataFile::ExternalDataFile(const std::string& model_path, std::string wanted_name)
    : model_path_(model_path), name_(std::move(wanted_name)) {
  const auto slash = model_path.rfind('/');
  if (slash != std::string::npos) folder_ = model_path.substr(0, slash + 1);
  if (!name_.empty()) check_name(name_);
}

ExternalDataFile ExternalDataFile::nowhere() {
  ExternalDataFile file({}, "weights");
  file.is_nowhere_ = true;
  return file;
}

std::int64_t ExternalDataFile::add(std::span<const std::byte> bytes) {
  const auto [known, is_new] = offsets_.try_emplace({bytes.data(), bytes.size()}, 0);
  if (!is_new) return known->second;
  const auto size = static_cast<std::int64_t>(bytes.size());
  const std::int64_t alignment = size >= page_bytes ? page_bytes : small_alignment_bytes;
  const std::int64_t offset = (size_bytes_ + alignment - 1) / alignment * alignment;
  pieces_.push_back({offset, bytes});
  size_bytes_ = offset + size;
  known->second = offset;
  return offset;
}

const std::string& ExternalDataFile::name() {
  if (reserved_ || is_nowhere_) return name_;
  struct stat status {};
  if (::stat(model_path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::write_failed,
                "a weights file can only be written next to a regular file",
                "write to a regular file, or keep the weights in the model")
        .with_id("save.external_name")
        .in(shorten(model_path_));
  }
  if (!name_.empty()) {
    reserved_ = FreshFile::reserve(folder_ + name_);
    if (!reserved_) {
      throw bad_name(format("a file {} already exists", quote(folder_ + name_)),
                     "weights files are never overwritten, since other models may use them; give "
                     "another name");
    }
    return name_;
  }
  // Leaves room for a number and a temporary suffix below the usual limit of 255 bytes.
  const std::string base = model_path_.substr(folder_.size()).substr(0, 200);
  for (int number = 1; number <= max_names; ++number) {
    name_ = number == 1 ? base + ".data" : format("{}-{}.data", base, number);
    reserved_ = FreshFile::reserve(folder_ + name_);
    if (reserved_) return name_;
  }
  throw bad_name(format("{} names for the weights file are taken", max_names),
                 "remove those that no model uses anymore");
}

void ExternalDataFile::write(FunctionRef<void(std::int64_t)> on_chunk, const StopToken* stop) {
  // name() has reserved the name; a link that somebody has put there meanwhile is replaced, not
  // followed.
  AtomicFile file(folder_ + name(), OnLink::replace);
  static constexpr std::byte zeros[page_bytes] = {};
  std::int64_t done = 0;
  for (const Piece& piece : pieces_) {
    file.write(std::span(zeros, static_cast<std::size_t>(piece.offset - done)));
    write_and_drop(file, piece.bytes, on_chunk);
    done = piece.offset + static_cast<std::int64_t>(piece.bytes.size());
  }
  file.commit(stop);
}

void ExternalDataFile::keep() {
  if (reserved_) reserved_->keep();
}

void write_and_drop(AtomicFile& file, std::span<const std::byte> bytes,
                    FunctionRef<void(std::int64_t)> on_chunk) {
  while (!bytes.empty()) {
    const auto chunk = bytes.first(std::min(bytes.size(), chunk_bytes));
    on_chunk(static_cast<std::int64_t>(chunk.size()));
    file.write(chunk);
    drop_pages(chunk);
    bytes = bytes.subspan(chunk.size());
  }
}

}  // namespace ortool::onnx
