// SHA-256 by OpenSSL.
#include "libcore/base/sha256.hpp"

#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file.hpp"

namespace ortool {
namespace {

EVP_MD_CTX* to_context(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

void Sha256::Free::operator()(void* context) const {
  EVP_MD_CTX_free(to_context(context));
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  const bool is_ready =
      context_ && EVP_DigestInit_ex(to_context(context_.get()), EVP_sha256(), nullptr) == 1;
  if (!is_ready) throw Error(ErrorCode::memory_limit, "SHA-256 cannot be set up");
}

void Sha256::update(std::span<const std::byte> bytes) {
  ORTOOL_CHECK(EVP_DigestUpdate(to_context(context_.get()), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  ORTOOL_CHECK(EVP_DigestFinal_ex(to_context(context_.get()), digest.data(), &size) == 1);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
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
