#include "core/plan/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::plan {

namespace {

constexpr int kMaxOfAxis = 1'000'000;
constexpr int kMaxInRange = 4096;

/// Reads the values of a text for one problem.
class SpaceReader {
public:
    SpaceReader(std::string_view option, const Problem& problem) : option_(option), problem_(problem) {}

    void read(Space& space, std::string_view text) {
        for (const std::string_view token : split(text, ',')) {
            std::string_view value = trimmed(token);
            const std::size_t equal = value.find('=');
            if (equal != std::string_view::npos) {
                begin(space, trimmed(value.substr(0, equal)));
                value = trimmed(value.substr(equal + 1));
            }
            if (row_ == nullptr) fail(value, "an axis and its value, such as tp=8");
            add(value);
        }
        end(space);
    }

private:
    [[noreturn]] void fail(std::string_view found, const std::string& expected) const {
        throw UsageError(
            fmt::format("option '{}' has {}; expected {}", option_, inQuotes(std::string(found)), expected));
    }

    void begin(Space& space, std::string_view id) {
        end(space);
        const std::span<const AxisRow> rows = axes();
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const AxisRow& row) { return row.id == id; });
        if (found == rows.end()) {
            std::vector<std::string> ids;
            for (const AxisRow& row : rows) ids.emplace_back(row.id);
            fail(id, "one of " + joined(ids, ", "));
        }
        row_ = &*found;
    }

    void end(Space& space) {
        if (row_ == nullptr) return;
        AxisValues& axis = space.axes[static_cast<std::size_t>(row_->axis)];
        std::sort(values_.begin(), values_.end());
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        if (!axis.values.empty()) std::erase_if(values_, [&](int value) { return !axis.allows(value); });
        if (values_.empty()) fail(row_->id, "a value that the same option and others allow");
        axis.values = std::move(values_);
        values_.clear();
        row_ = nullptr;
    }

    std::vector<std::string> wordsOfAxis() const {
        std::vector<std::string> words(row_->words.begin(), row_->words.end());
        if (row_->axis == Axis::dtype) words = problem_.dtypes;
        if (row_->axis == Axis::group)
            for (const PlanGroup& group : problem_.groups) words.push_back(group.name);
        return words;
    }

    int numberOf(std::string_view text) const {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const int min = row_->axis == Axis::zero ? 0 : 1, max = row_->axis == Axis::zero ? 3 : kMaxOfAxis;
        if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max)
            fail(text, fmt::format("a whole number from {} to {} for {}", min, formatCount(max), row_->id));
        return value;
    }

    void add(std::string_view value) {
        const std::vector<std::string> words = wordsOfAxis();
        if (!words.empty()) {
            const auto found = std::find(words.begin(), words.end(), value);
            if (found == words.end()) fail(value, fmt::format("one of {} for {}", joined(words, ", "), row_->id));
            values_.push_back(static_cast<int>(found - words.begin()));
            return;
        }
        const std::size_t dots = value.find("..");
        if (dots == std::string_view::npos) return values_.push_back(numberOf(value));
        const int from = numberOf(value.substr(0, dots)), to = numberOf(value.substr(dots + 2));
        if (to < from || to - from >= kMaxInRange)
            fail(value, fmt::format("a range that rises by less than {}", formatCount(kMaxInRange)));
        for (int each = from; each <= to; ++each) values_.push_back(each);
    }

    std::string_view option_;
    const Problem& problem_;
    const AxisRow* row_ = nullptr;
    std::vector<int> values_;
};

}  // namespace

bool AxisValues::allows(int value) const {
    return values.empty() || std::binary_search(values.begin(), values.end(), value);
}

bool Space::allows(Axis axis, int value) const {
    if (!of(axis).values.empty()) return of(axis).allows(value);
    const std::vector<int>& free = rowOf(axis).free;
    return free.empty() || std::binary_search(free.begin(), free.end(), value);
}

void narrow(Space& space, std::string_view option, std::string_view text, const Problem& problem) {
    if (trimmed(text).empty()) return;
    SpaceReader(option, problem).read(space, text);
}

}  // namespace tessera::plan
