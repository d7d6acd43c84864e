#include "ui/workspace/fuzzy.h"

#include <QStringList>
#include <algorithm>

namespace tessera::ui {

namespace {

constexpr int kLetter = 1, kFollowing = 4, kWordStart = 8, kWholeWord = 40;
/// More than the bonus of recent use: "run 5" is not "Run 1 (ResNet-50)".
constexpr int kToWordEnd = 50;

bool startsWord(const QString& text, qsizetype at) {
    return at == 0 || !text[at - 1].isLetterOrNumber() || (text[at].isDigit() && text[at - 1].isLetter());
}

/// Where a word ends before a place; what stands there may begin another.
bool endsWord(const QString& text, qsizetype at) {
    return at == text.size() || !text[at].isLetterOrNumber() || text[at].isDigit() != text[at - 1].isDigit();
}

/// Letters of one word in order: each follows the one before, or begins a word.
std::optional<int> scoreOfLetters(const QString& word, const QString& text) {
    int score = 0;
    qsizetype from = 0, last = -2;
    for (const QChar letter : word) {
        qsizetype at = text.indexOf(letter, from);
        if (at < 0) return std::nullopt;
        if (at != last + 1)
            for (qsizetype start = at; start >= 0; start = text.indexOf(letter, start + 1))
                if (startsWord(text, start)) {
                    at = start;
                    break;
                }
        // Letters from anywhere would fit everything.
        if (at != last + 1 && !startsWord(text, at)) return std::nullopt;
        score += kLetter + (at == last + 1 ? kFollowing : 0) + (startsWord(text, at) ? kWordStart : 0);
        last = at;
        from = at + 1;
    }
    return score;
}

std::optional<int> scoreOfWord(const QString& word, const QString& text) {
    std::optional<int> best;
    for (qsizetype at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
        if (startsWord(text, at))
            best = std::max(best.value_or(0), kWholeWord + static_cast<int>(word.size()) * (kLetter + kFollowing) +
                                                  (at == 0 ? kWordStart : 0) +
                                                  (endsWord(text, at + word.size()) ? kToWordEnd : 0));
    if (best) return best;
    if (const auto at = text.indexOf(word); at >= 0)
        return kWholeWord / 2 + static_cast<int>(word.size()) * (kLetter + kFollowing);
    if (word.size() < 2) return std::nullopt;
    return scoreOfLetters(word, text);
}

}  // namespace

std::optional<int> fuzzyScore(const QString& typed, const QString& text) {
    if (typed.trimmed().isEmpty()) return 0;
    const QString lower = text.toLower();
    int score = 0;
    for (const QString& word : typed.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const std::optional<int> part = scoreOfWord(word, lower);
        if (!part) return std::nullopt;
        score += *part;
    }
    return score - static_cast<int>(std::min<qsizetype>(text.size() / 8, 10));
}

}  // namespace tessera::ui
