// Packed file: an ONNX file whose last field, unknown to ONNX, is a session cache with a trailer.
#include "libcore/runtime/cache/packed_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <type_traits>
#include <vector>

#include <sys/stat.h>

#include "libcore/base/build_identity.hpp"
#include "libcore/base/checksum.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/file/file_status.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/onnx/packed_field.hpp"
#include "libcore/runtime/cache/processor_text.hpp"

namespace ortool {
namespace {

constexpr std::int64_t image_alignment = 4096;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t digest_digits = 64;

/// The last bytes of the file.
struct Trailer {
  std::array<char, 8> name = {'o', 'r', 't', 'p', 'a', 'c', 'k', '1'};
  std::uint64_t image_bytes = 0;
  std::uint64_t model_bytes = 0;  ///< before the field
  std::uint64_t model_checksum = 0;
  std::int64_t modified_ns = 0;  ///< the file's time of modification, while nothing changes it
  std::array<char, digest_digits> model_digest = {};
  CacheKey build;
  CacheKey processor;
  std::uint64_t own_checksum = 0;  ///< of the members before it

  std::uint64_t checksum() const {
    return checksum_of(std::as_bytes(std::span(this, 1)).first(offsetof(Trailer, own_checksum)));
  }
};
static_assert(std::is_trivially_copyable_v<Trailer>);

Error unusable_packing(std::string reason) {
  return Error(ErrorCode::invalid, std::move(reason)).with_id("cache.packed");
}

CacheKey build_key() {
  return CacheKey::of("build " + build_identity());
}

CacheKey processor_key() {
  return CacheKey::of("processor " + processor_text());
}

std::size_t pieces_of(std::size_t bytes) {
  return (bytes + piece_bytes - 1) / piece_bytes;
}

std::span<const std::byte> piece_of(std::span<const std::byte> bytes, std::size_t index) {
  const std::size_t first = index * piece_bytes;
  return bytes.subspan(first, std::min(piece_bytes, bytes.size() - first));
}

/// The checksum of the pieces' checksums.
std::uint64_t checksum_in_pieces(std::span<const std::byte> bytes, Workers& workers) {
  std::vector<std::uint64_t> sums(pieces_of(bytes.size()));
  workers.parallel_for(static_cast<std::int64_t>(sums.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    const std::span<const std::byte> piece = piece_of(bytes, i);
    sums[i] = checksum_of(piece);
    drop_pages(piece);
  });
  return checksum_of(std::as_bytes(std::span<const std::uint64_t>(sums)));
}

Trailer read_trailer(std::span<const std::byte> packed) {
  Trailer trailer;
  if (packed.size() < sizeof trailer) throw unusable_packing("they are damaged");
  std::memcpy(&trailer, packed.data() + packed.size() - sizeof trailer, sizeof trailer);
  // Another version of the form is of another build.
  if (trailer.name != Trailer().name || trailer.own_checksum != trailer.checksum() ||
      trailer.image_bytes > packed.size() - sizeof trailer)
    throw unusable_packing("they are damaged");
  if (trailer.build != build_key())
    throw unusable_packing("they were packed by another build of ortool");
  if (trailer.processor != processor_key())
    throw unusable_packing("they were packed for another processor");
  return trailer;
}

void copy_to(AtomicFile& file, std::span<const std::byte> bytes, const StopToken* stop) {
  for (std::size_t i = 0; i < pieces_of(bytes.size()); ++i) {
    if (stop != nullptr) stop->poll();
    const std::span<const std::byte> piece = piece_of(bytes, i);
    file.write(piece);
    drop_pages(piece);
  }
}

/// The head of the field after `position` bytes, and zeros up to the page on which its content of
/// `bytes` more bytes begins.
std::string head_before_page(std::int64_t position, std::int64_t bytes) {
  // A longer content can have a longer head, which leaves less to fill.
  for (std::int64_t padding = 0;; ++padding) {
    std::string head = packed_field_head(padding + bytes);
    const auto end = position + static_cast<std::int64_t>(head.size()) + padding;
    if (end % image_alignment == 0) return head.append(static_cast<std::size_t>(padding), '\0');
    ORTOOL_CHECK(padding < 2 * image_alignment);
  }
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

PackedFile::PackedFile(const Model& model) : owner_(model.file) {
  const std::span<const std::byte> packed = packed_field_of(model);
  const Trailer trailer = read_trailer(packed);
  const std::optional<MappedPlace> place = file_of_mapping(packed);
  if (!place) throw unusable_packing("the model was not read from a file");
  const auto end = static_cast<std::uint64_t>(place->offset) + packed.size();
  if (end != static_cast<std::uint64_t>(place->status.size_bytes) ||
      trailer.model_bytes >= static_cast<std::uint64_t>(place->offset))
    throw unusable_packing("the file was changed");
  image_ =
      packed.subspan(packed.size() - sizeof trailer - trailer.image_bytes, trailer.image_bytes);
  model_ = {packed.data() - place->offset, trailer.model_bytes};
  model_checksum_ = trailer.model_checksum;
  has_changed_time_ = place->status.modified_ns != trailer.modified_ns;
  contents_.set_digest(place->status,
                       std::string(trailer.model_digest.data(), trailer.model_digest.size()));
}

bool PackedFile::is_in(const Model& model) {
  return !packed_field_of(model).empty();
}

std::unique_ptr<DerivedStore> PackedFile::store() {
  return std::make_unique<DerivedStore>(CacheFile::in(image_, owner_), contents_);
}

bool PackedFile::is_model_intact(Workers& workers) const {
  return !has_changed_time_ || checksum_in_pieces(model_, workers) == model_checksum_;
}

std::int64_t write_packed_file(const std::string& model_path, const std::string& cache_path,
                               const std::string& target, const StopToken* stop) {
  const MappedFile model = MappedFile::open(model_path);
  const MappedFile image = MappedFile::open(cache_path);
  Workers alone(stop);
  constexpr std::int64_t second_ns = 1'000'000'000;
  Trailer trailer;
  trailer.image_bytes = image.bytes().size();
  trailer.model_bytes = model.bytes().size();
  trailer.model_checksum = checksum_in_pieces(model.bytes(), alone);
  // Any later write gives the file a later time.
  trailer.modified_ns = now_ns() - second_ns;
  const std::string digest = sha256_of(model.bytes());
  ORTOOL_CHECK(digest.size() == digest_digits);
  std::copy(digest.begin(), digest.end(), trailer.model_digest.begin());
  trailer.build = build_key();
  trailer.processor = processor_key();
  trailer.own_checksum = trailer.checksum();

  const auto trailer_bytes = static_cast<std::int64_t>(sizeof trailer);
  const std::string head = head_before_page(model.size_bytes(), image.size_bytes() + trailer_bytes);
  AtomicFile file(target);
  copy_to(file, model.bytes(), stop);
  file.write(head);
  copy_to(file, image.bytes(), stop);
  file.write(std::as_bytes(std::span(&trailer, 1)));
  file.commit(stop);
  // A file that keeps another time is checked as a whole before its first run.
  constexpr std::int64_t second = 1'000'000'000;
  const timespec time{.tv_sec = trailer.modified_ns / second,
                      .tv_nsec = trailer.modified_ns % second};
  const std::array<timespec, 2> times = {time, time};
  static_cast<void>(::utimensat(AT_FDCWD, target.c_str(), times.data(), 0));
  return model.size_bytes() + static_cast<std::int64_t>(head.size()) + image.size_bytes() +
         trailer_bytes;
}

}  // namespace ortool
