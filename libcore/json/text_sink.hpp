// Where long text goes piece by piece, so that it is never held whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ortool {

class AtomicFile;

/// Gathers small pieces and passes them on in large ones; the last ones with flush(), which its
/// maker calls. What goes wrong while passing on is thrown. One thread at a time.
class TextSink {
 public:
  TextSink() = default;
  virtual ~TextSink() = default;
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  TextSink& operator+=(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= most_buffered) flush();
    return *this;
  }
  TextSink& operator+=(char character) { return *this += std::string_view(&character, 1); }
  void flush() {
    pass_on(buffer_);
    buffer_.clear();
  }

 protected:
  virtual void pass_on(std::string_view text) = 0;

 private:
  static constexpr std::size_t most_buffered = std::size_t{1} << 16U;
  std::string buffer_;
};

/// Ends up in a string after all.
class StringSink : public TextSink {
 public:
  std::string take() {
    flush();
    return std::move(text_);
  }

 private:
  void pass_on(std::string_view text) override { text_ += text; }
  std::string text_;
};

/// The file outlives it and is committed by its owner.
class FileSink : public TextSink {
 public:
  explicit FileSink(AtomicFile& file) : file_(file) {}

 private:
  void pass_on(std::string_view text) override;
  AtomicFile& file_;
};

}  // namespace ortool
