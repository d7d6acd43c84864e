#pragma once

#include <QFrame>
#include <QVector>
#include <functional>
#include <optional>

#include "core/explain/explain.h"

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

/// The line of headline numbers that every result begins with. Where it is too narrow, those that have no room are left
/// out.
class HeadlineBar : public QFrame {
    Q_OBJECT

public:
    explicit HeadlineBar(QWidget* parent = nullptr);
    void setHeadlines(const QVector<Headline>& headlines);
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* block(const Headline& headline);
    void hideWhatDoesNotFit();

    QHBoxLayout* line_;
    QVector<QWidget*> blocks_;
};

}  // namespace tessera::ui
