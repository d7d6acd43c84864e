#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/draw/drawing.h"
#include "core/draw/picture.h"

/// A matrix of scatters: each of some values against each other one, with their distributions on the diagonal. Shared
/// by the SVG and the window. Hartigan: "Printer graphics for clustering", J. Statist. Comput. Simul. 4, 1975.
namespace tessera::report {

/// A matrix of scatters: every two axes of the same rows.
struct MatrixPicture {
    /// An axis with the value of each row.
    struct Line {
        Axis axis;
        std::vector<double> values = {};  ///< by row; NaN = none
    };
    std::string id, title;
    std::vector<Line> axes;
    std::size_t rows = 0;
    std::vector<std::uint8_t> tones = {};  ///< by row: places in the key's palette, beyond it grey. Empty = accent
    ColourKey key = {};
    std::vector<std::uint8_t> shown = {};  ///< by row: whether it is; what is not stands in grey behind. Empty = all
    std::string empty = {};
};

/// Where values stand along their axes, of a picture that is laid out again and again: nothing that is looked at
/// changes it.
struct MatrixShares {
    std::vector<Stretch> stretches = {};          ///< by axis: its ends, as coordinates of its scale
    std::vector<std::vector<float>> shares = {};  ///< by axis and row: from 0 to 1; NaN = none
    /// By two axes: Pearson's coefficient of their shares, so of logarithms where an axis is logarithmic; NaN where one
    /// of them does not differ.
    std::vector<std::vector<double>> correlations = {};
};
/// Returns the shares of a picture.
MatrixShares sharesOf(const MatrixPicture& picture);

/// What of a picture is looked at.
struct MatrixView {
    std::optional<std::size_t> selected = {}, hovered = {};  ///< rows with a ring in every field
    const MatrixShares* shares = nullptr;                    ///< of the picture, where they are known
};

/// A field of two values.
struct MatrixCell {
    std::size_t x = 0, y = 0;  ///< axes; the same = a distribution
    Rect area;
};

struct MatrixLayout {
    Drawing drawing;
    std::vector<Scale> across, up;  ///< by axis, from 0 to the side of a field
    std::vector<MatrixCell> cells;
    double side = 0, height = 0;  ///< of a field, in pixels
    bool empty = false;
};

/// Fields below the diagonal; above it stands how the two values of the field across are correlated. In each field,
/// places that hold points are dots, the stronger the more points they hold.
MatrixLayout layOut(const MatrixPicture& picture, const MatrixView& view, Size size, const TextWidth& measure);
/// Where a row stands in a field; empty where it has no place there.
std::optional<Point> placeOf(const MatrixPicture& picture, const MatrixLayout& layout, const MatrixCell& cell,
                             std::size_t row);
std::string toSvg(const MatrixPicture& picture, const Theme& theme, Size size = {960, 720});

}  // namespace tessera::report
