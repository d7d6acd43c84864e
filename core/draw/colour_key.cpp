#include "core/draw/colour_key.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/text.h"
#include "core/draw/measures.h"

namespace tessera::report {

namespace {

constexpr double kRampWidth = 96, kSquareSide = 10, kBesideSquare = 5;

bool isUsed(const std::vector<bool>& used, std::size_t colour) {
    return colour >= used.size() || used[colour];
}

}  // namespace

double drawColourKey(Drawing& drawing, const ColourKey& key, Point at, double width, const TextWidth& measure,
                     const std::vector<bool>& used) {
    if (key.palette.empty()) return 0;
    double x = at.x;
    const auto text = [&](const std::string& words, double room) {
        const std::string shown = fitted(words, room, kCaption, false, measure);
        drawing.shapes.push_back(
            Label{.at = {x, at.y}, .text = shown, .full = shown == words ? std::string() : escaped(words)});
        x += measure(shown, kCaption, false) + kGap;
    };
    if (!key.title.empty()) text(key.title + ":", width / 3);
    if (key.names.empty()) {
        text(key.low, width / 4);
        const double step = kRampWidth / static_cast<double>(key.palette.size());
        for (const std::string& colour : key.palette) {
            drawing.shapes.push_back(Box{.area = {x, at.y - 9, step + 0.5, kSquareSide}, .fill = colour});
            x += step;
        }
        x += kGap;
        text(key.high, width / 4);
    }
    for (std::size_t i = 0; i < std::min(key.names.size(), key.palette.size()); ++i) {
        if (!isUsed(used, i)) continue;
        const double needed = kSquareSide + kBesideSquare + measure(key.names[i], kCaption, false);
        if (x + needed > at.x + width) {
            text("…", kSquareSide * 2);
            break;
        }
        drawing.shapes.push_back(
            Box{.area = {x, at.y - 9, kSquareSide, kSquareSide}, .fill = key.palette[i], .radius = 2});
        x += kSquareSide + kBesideSquare;
        text(key.names[i], width);
    }
    return x - kGap - at.x;
}

double widthOf(const ColourKey& key, const TextWidth& measure, const std::vector<bool>& used) {
    const auto width = [&](const std::string& words) { return measure(words, kCaption, false) + kGap; };
    double all = key.title.empty() ? 0 : width(key.title + ":");
    if (key.names.empty()) return all + width(key.low) + kRampWidth + kGap + width(key.high);
    for (std::size_t i = 0; i < std::min(key.names.size(), key.palette.size()); ++i)
        if (isUsed(used, i)) all += kSquareSide + kBesideSquare + width(key.names[i]);
    return all;
}

std::string colourOf(const ColourKey& key, std::size_t tone) {
    return tone < key.palette.size() ? key.palette[tone] : "disabled";
}

TonesOfPlaces::TonesOfPlaces(const ColourKey& key, std::size_t places)
    : tones_(key.palette.size()),
      isRamp_(key.names.empty()),
      sums_(isRamp_ ? places : places * tones_),
      counts_(isRamp_ ? places : 0) {}

void TonesOfPlaces::add(std::size_t place, std::size_t tone) {
    if (tone >= tones_) return;
    if (isRamp_) {
        sums_[place] += static_cast<float>(tone);
        counts_[place] += 1;
    } else {
        sums_[place * tones_ + tone] += 1;
    }
}

std::size_t TonesOfPlaces::of(std::size_t place) const {
    if (isRamp_)
        return counts_[place] > 0 ? static_cast<std::size_t>(std::lround(sums_[place] / counts_[place])) : kNoTone;
    const auto first = sums_.begin() + static_cast<std::ptrdiff_t>(place * tones_);
    const auto max = std::max_element(first, first + static_cast<std::ptrdiff_t>(tones_));
    return tones_ > 0 && *max > 0 ? static_cast<std::size_t>(max - first) : kNoTone;
}

}  // namespace tessera::report
