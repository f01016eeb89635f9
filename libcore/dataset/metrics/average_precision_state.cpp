// State of average precision: the matches of each category as numbers in one list.
#include "libcore/dataset/metrics/average_precision.hpp"
#include "libcore/dataset/metrics/metric_state.hpp"

namespace ortool {
namespace {

/// Score, image, rank, and a set of bits by area for matched and for ignored.
constexpr std::size_t numbers_a_match = 3 + 2 * AveragePrecision::area_count;

double number_at(const Json::List& list, std::size_t place) {
  if (!list[place].is_number()) MetricState::refuse("matches");
  return list[place].number();
}

std::uint16_t bits_at(const Json::List& list, std::size_t place) {
  const double number = number_at(list, place);
  if (!(number >= 0 && number <= 0xffff)) MetricState::refuse("matches");
  return static_cast<std::uint16_t>(number);
}

}  // namespace

Json AveragePrecision::state() const {
  Json state = Json::list();
  for (const Category& category : categories_) {
    Json matches = Json::list();
    for (const Match& match : category.matches) {
      matches.add(match.score).add(match.image).add(match.rank);
      for (const auto* bits : {&match.matched, &match.ignored}) {
        for (const std::uint16_t each : *bits) matches.add(each);
      }
    }
    state.add(Json::object()
                  .set("objects", Json::list_of(category.objects))
                  .set("matches", std::move(matches)));
  }
  return state;
}

void AveragePrecision::add(const Json::List& state) {
  if (state.size() != categories_.size()) MetricState::refuse("matches");
  for (std::size_t i = 0; i < state.size(); ++i) {
    const MetricState read(state[i]);
    Category& category = categories_[i];
    const std::vector<std::int64_t> objects = read.integers("objects");
    const Json::List& list = read.list("matches");
    if (objects.size() != area_count || list.size() % numbers_a_match != 0)
      MetricState::refuse("matches");
    for (std::size_t area = 0; area < area_count; ++area) category.objects[area] += objects[area];
    if (cap_ != nullptr) {
      const auto bytes =
          static_cast<std::int64_t>(2 * sizeof(Match) * (list.size() / numbers_a_match));
      cap_->take(bytes, "the detections of a data set");
      taken_bytes_ += bytes;
    }
    for (std::size_t at = 0; at < list.size(); at += numbers_a_match) {
      Match match{number_at(list, at),
                  static_cast<std::int64_t>(number_at(list, at + 1)),
                  bits_at(list, at + 2),
                  {},
                  {}};
      for (std::size_t area = 0; area < area_count; ++area) {
        match.matched[area] = bits_at(list, at + 3 + area);
        match.ignored[area] = bits_at(list, at + 3 + area_count + area);
      }
      category.matches.push_back(match);
    }
  }
}

}  // namespace ortool
