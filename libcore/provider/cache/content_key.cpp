// Digests of files, kept as small files named after the status of the file that they belong to.
#include "libcore/provider/cache/content_key.hpp"

#include "libcore/base/checksum.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"

namespace ortool {
namespace {

constexpr std::size_t digest_digits = 64;

/// One line, which tells what it is: the file's status, its SHA-256, and a checksum of both.
std::string record_of(const std::string& status, const std::string& digest) {
  const std::string text = format("ortool-sha256 {}{}", status, digest);
  return format("{} {}\n", text, checksum_of(std::as_bytes(std::span(text.data(), text.size()))));
}

/// The digest in a kept record; empty if there is none for this status.
std::string read_record(const std::string& path, const std::string& status) {
  constexpr std::int64_t max_bytes = 4096;
  std::string text;
  try {
    text = read_text_file(path, max_bytes);
  } catch (const Error&) {
    return {};
  }
  const std::size_t before = record_of(status, "").find(status) + status.size();
  if (text.size() < before + digest_digits) return {};
  std::string digest = text.substr(before, digest_digits);
  return text == record_of(status, digest) ? digest : std::string();
}

}  // namespace

std::string ContentKeyRegistry::file_digest(const MappedPlace& place,
                                            std::span<const std::byte> bytes) {
  const std::string status = place.status.to_text();
  std::string& digest = digests_[status];
  if (!digest.empty()) return digest;
  const std::string path = format("{}/{}.sha256", folder_, CacheKey::of(status).to_text());
  digest = read_record(path, status);
  if (!digest.empty()) return digest;
  digest = sha256_of_mapped_file(bytes).value_or("");
  if (digest.empty() || !place.status.is_old()) return digest;
  try {
    AtomicFile file(path, OnLink::replace);
    file.write(record_of(status, digest));
    file.commit_unsynced();
  } catch (const Error& error) {
    // Without the record, the next start reads the file again.
    if (error.code() != ErrorCode::write_failed) throw;
  }
  return digest;
}

std::string ContentKeyRegistry::key_of(const Tensor& constant) {
  if (constant.type() == DataType::string) {
    std::string text = "texts";
    for (const std::string& each : constant.strings()) text += format(" {}:{}", each.size(), each);
    return CacheKey::of(text).to_text();
  }
  const std::span<const std::byte> bytes(constant.bytes(),
                                         static_cast<std::size_t>(constant.size_bytes()));
  constexpr std::size_t small_bytes = 4096;
  if (bytes.size() > small_bytes) {
    if (const std::optional<MappedPlace> place = file_of_mapping(bytes)) {
      const std::string digest = file_digest(*place, bytes);
      if (!digest.empty()) return format("{}+{}", digest, place->offset);
    }
  }
  return sha256_of(bytes);
}

}  // namespace ortool
