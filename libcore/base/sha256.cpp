// SHA-256 by OpenSSL's low-level functions. The newer EVP interface initializes much more first,
// and crashes when that runs out of memory.
#define OPENSSL_API_COMPAT 0x10100000L
#include "libcore/base/sha256.hpp"

#include <algorithm>
#include <array>

#include <openssl/sha.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"

namespace ortool {
namespace {

SHA256_CTX* to_context(void* context) {
  return static_cast<SHA256_CTX*>(context);
}

}  // namespace

void Sha256::Free::operator()(void* context) const {
  delete to_context(context);
}

Sha256::Sha256() : context_(new SHA256_CTX) {
  ORTOOL_CHECK(SHA256_Init(to_context(context_.get())) == 1);
}

void Sha256::update(std::span<const std::byte> bytes) {
  ORTOOL_CHECK(SHA256_Update(to_context(context_.get()), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  ORTOOL_CHECK(SHA256_Final(digest.data(), to_context(context_.get())) == 1);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string sha256_of(std::span<const std::byte> bytes) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  Sha256 hash;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), piece_bytes));
    hash.update(piece);
    drop_pages(piece);
    bytes = bytes.subspan(piece.size());
  }
  return hash.finish();
}

}  // namespace ortool
