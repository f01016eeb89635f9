// Match diagnostics: messages are formatted only once, for the final mismatch.
#include "libcore/optimize/rewrite/mismatch.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Kind = PatternPart::Kind;

constexpr std::size_t max_expected = 4;

std::string describe(const Value& value) {
  if (const Node* node = value.producer())
    return format("'{}' ({})", node->name(), node->op_type());
  if (!value.is_constant()) return format("'{}'", value.name());
  const Tensor& tensor = value.constant();
  if (tensor.element_count() != 1 || !is_arithmetic(tensor.type()))
    return format("the constant '{}'", value.name());
  return format("the constant '{}' ({})", value.name(), element_as_double(tensor, 0));
}

std::string describe(const PatternPart& part) {
  switch (part.kind) {
    case Kind::operation:
    case Kind::chain:
      return part.trait ? "another operator" : part.op_type;
    case Kind::constant:
      return "a constant";
    case Kind::number:
      return format("the number {}", part.number);
    default:
      return "another value";
  }
}

}  // namespace

void ClosestMismatch::note(std::span<const Match::Member> members, const PatternPart& part,
                           const Value& value, Mismatch why) {
  if (value_ != nullptr && members.size() < nodes_.size()) return;
  if (value_ != nullptr && members.size() == nodes_.size()) {
    if (value_ == &value && why == why_ && parts_.size() < max_expected) parts_.push_back(&part);
    return;
  }
  nodes_.clear();
  for (const Match::Member& member : members) nodes_.push_back(member.node);
  parts_ = {&part};
  value_ = &value;
  why_ = why;
}

std::string ClosestMismatch::expected() const {
  std::vector<std::string> words;
  for (const PatternPart* part : parts_) {
    std::string word = describe(*part);
    if (std::find(words.begin(), words.end(), word) == words.end())
      words.push_back(std::move(word));
  }
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i)
    text += (i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

PartialMatch ClosestMismatch::partial_match() const {
  if (value_ == nullptr) return {};
  const std::string found = describe(*value_);
  PartialMatch partial{nodes_, {}};
  switch (why_) {
    case Mismatch::kind:
      partial.reason = format("found {} where {} is expected", found, expected());
      break;
    case Mismatch::attributes:
      partial.reason = format("{} has other attributes than expected", found);
      break;
    case Mismatch::type:
      partial.reason =
          format("{} is {}, which is not expected there", found, value_->type().to_string());
      break;
    case Mismatch::name:
      partial.reason = format("{} is not the value that the pattern reads elsewhere", found);
      break;
    case Mismatch::inputs:
      partial.reason = format("{} has more or fewer inputs than expected", found);
      break;
  }
  return partial;
}

}  // namespace ortool
