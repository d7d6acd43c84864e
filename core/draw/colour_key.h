#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"

namespace tessera::report {

/// Draws what colours mean on one line: a title, then a ramp between its ends, or a square for each name. `at` is on
/// the base line; names that have no room within `width` are left out. Returns the width taken. Of `used`, where it is
/// not empty, colours that say false are left out.
double drawColourKey(Drawing& drawing, const ColourKey& key, Point at, double width, const TextWidth& measure,
                     const std::vector<bool>& used = {});
/// The width that it would take with all its names.
double widthOf(const ColourKey& key, const TextWidth& measure, const std::vector<bool>& used = {});

/// The colour of a tone: grey where it is none of the palette's.
std::string colourOf(const ColourKey& key, std::size_t tone);

/// The tones of things that share places: of a ramp their mean, of categories the most frequent one.
class TonesOfPlaces {
public:
    TonesOfPlaces(const ColourKey& key, std::size_t places);
    void add(std::size_t place, std::size_t tone);  ///< nothing where it is none of the palette's
    std::size_t of(std::size_t place) const;        ///< `kNoTone` where nothing with a tone is there

private:
    std::size_t tones_;
    bool isRamp_;
    std::vector<float> sums_;    ///< of a ramp by place, of categories how many of each tone
    std::vector<float> counts_;  ///< by place, of a ramp
};

}  // namespace tessera::report
