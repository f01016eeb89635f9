// TextSink: an output for long text that is written piece by piece and never stored as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ortool {

class AtomicFile;

/// Buffers small pieces and passes them on in large blocks; the creator must call flush() at the
/// end. Throws on write errors. Not thread-safe.
class TextSink {
 public:
  TextSink() = default;
  virtual ~TextSink() = default;
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  TextSink& operator+=(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= max_buffered) flush();
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
  static constexpr std::size_t max_buffered = std::size_t{1} << 16U;
  std::string buffer_;
};

/// Collects the text in a string.
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

/// The file must outlive the sink and is committed by its owner.
class FileSink : public TextSink {
 public:
  explicit FileSink(AtomicFile& file) : file_(file) {}

 private:
  void pass_on(std::string_view text) override;
  AtomicFile& file_;
};

}  // namespace ortool
