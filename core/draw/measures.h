#pragma once

/// Measures that pictures of every kind share, in pixels at scale 1.
namespace tessera::report {

inline constexpr int kCaption = 11;  ///< size of the letters of small text
inline constexpr double kLine = 16;  ///< from one caption's base line to the next
inline constexpr double kGap = 8;    ///< between parts of a picture

}  // namespace tessera::report
