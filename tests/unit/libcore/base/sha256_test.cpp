// SHA-256 against the examples of FIPS 180-4, whole and in pieces.
#include "libcore/base/sha256.hpp"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using ortool::Sha256;
using ortool::sha256_of;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

TEST_CASE("SHA-256 gives the published digests") {
  CHECK(sha256_of({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of(bytes_of("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_of(bytes_of(std::string(1000000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on how the bytes were cut") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  const std::string whole = sha256_of(bytes_of(text));
  for (const std::size_t piece : {1U, 55U, 64U, 65U, 299U}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      hash.update(bytes_of(std::string_view(text).substr(at, piece)));
      hash.update({});
    }
    CHECK(hash.finish() == whole);
  }
}
