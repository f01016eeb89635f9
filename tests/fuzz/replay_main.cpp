// Replays files through a fuzzer's entry point, then randomly mutated copies of them.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uintmax_t max_bytes = 20'000;

void add_file(const std::filesystem::path& path, std::vector<Bytes>& files) {
  std::ifstream file(path, std::ios::binary);
  files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

void add_folder(const std::filesystem::path& folder, std::vector<Bytes>& files) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const bool is_seed = entry.path().extension() == ".onnx" || entry.path().extension() == ".txt";
    if (is_seed && entry.is_regular_file() && entry.file_size() <= max_bytes) {
      add_file(entry.path(), files);
    }
  }
}

/// Changes, removes or duplicates a few bytes, or inserts some from another file.
Bytes mutate(const std::vector<Bytes>& files, std::mt19937& random) {
  const auto below = [&](std::size_t bound) { return bound == 0 ? 0 : random() % bound; };
  Bytes bytes = files[below(files.size())];
  const std::size_t changes = 1 + below(8);
  for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(below(bytes.size()));
    const auto length =
        static_cast<std::ptrdiff_t>(below(std::min<std::size_t>(64, bytes.size() - below(1))));
    const auto end = std::min<std::ptrdiff_t>(at + length, std::ssize(bytes));
    switch (below(5)) {
      case 0:
        bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random());
        break;
      case 1:
        bytes[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 2:
        bytes.erase(bytes.begin() + at, bytes.begin() + end);
        break;
      case 3: {
        const Bytes part(bytes.begin() + at, bytes.begin() + end);
        bytes.insert(bytes.begin() + at, part.begin(), part.end());
        break;
      }
      default: {
        const Bytes& other = files[below(files.size())];
        const auto from = static_cast<std::ptrdiff_t>(below(other.size()));
        const auto to = std::min<std::ptrdiff_t>(from + length, std::ssize(other));
        bytes.insert(bytes.begin() + at, other.begin() + from, other.begin() + to);
      }
    }
  }
  return bytes;
}

void give(const Bytes& bytes) {
  // A copy of exactly its size, so that AddressSanitizer detects reads past the end.
  const Bytes exact(bytes);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<Bytes> files;
  double seconds = 0;
  unsigned seed = 1;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--seconds" && i + 1 < count) {
      seconds = std::strtod(arguments[++i], nullptr);
    } else if (argument == "--seed" && i + 1 < count) {
      seed = static_cast<unsigned>(std::strtoul(arguments[++i], nullptr, 10));
    } else if (std::filesystem::is_directory(argument)) {
      add_folder(argument, files);
    } else if (std::filesystem::is_regular_file(argument)) {
      add_file(argument, files);
    } else {
      std::printf("SKIPPED: %s, which is not there\n", argument.c_str());
    }
  }
  if (files.empty()) return 1;
  const auto begin = std::chrono::steady_clock::now();
  for (const Bytes& bytes : files) give(bytes);
  std::mt19937 random(seed);
  std::int64_t mutations = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
         seconds) {
    const Bytes bytes = mutate(files, random);
    if (std::FILE* last = std::fopen("fuzz_last_input", "wb"); last != nullptr) {
      if (!bytes.empty()) std::fwrite(bytes.data(), 1, bytes.size(), last);
      std::fclose(last);
    }
    give(bytes);
    ++mutations;
  }
  std::printf("%zu files, then %lld changed copies of them with seed %u\n", files.size(),
              static_cast<long long>(mutations), seed);
  return 0;
}
