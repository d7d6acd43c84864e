#pragma once

#include <QFrame>
#include <QVector>
#include <functional>
#include <optional>

#include "core/study/explanation.h"

class QHBoxLayout;

namespace tessera::ui {

/// One number at the top of a result: "36.2 ms", "per step", how it compares, how sure it is.
struct Headline {
    QString value;        ///< 3 to 4 significant digits with the unit
    QString label;        ///< what it is: "per step"
    QString detail = {};  ///< comparison or certainty: "6.31× over data parallelism", "proven optimal"
    QString tone = {};    ///< of `detail`: "good", "warning", "bad"; empty = secondary
    QString help = {};    ///< tooltip
    std::function<std::optional<study::Explanation>()> explain = {};
};

/// The one line of headline numbers that every result begins with. Where it is too narrow, the last numbers and details
/// are left out; a tooltip has the details.
class HeadlineBar : public QFrame {
    Q_OBJECT

public:
    explicit HeadlineBar(QWidget* parent = nullptr);
    void setHeadlines(const QVector<Headline>& headlines);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Block {
        QWidget* whole = nullptr;
        QWidget* detail = nullptr;  ///< of it; null = it has none
    };
    Block block(const Headline& headline);
    void hideWhatDoesNotFit();

    QHBoxLayout* line_;
    QVector<Block> blocks_;
};

}  // namespace tessera::ui
