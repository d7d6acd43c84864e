#pragma once

#include <QVector>

#include "ui/views/document.h"
#include "ui/workspace/guide.h"

class QListWidget;
class QTextBrowser;
class QTimer;
class QToolButton;

namespace tessera::ui {

/// The guide: its pages at the left, the one that is read beside them. There is one of it in a window, which F1 takes
/// to the place that the guide has for a control.
class GuideDocument : public Document {
    Q_OBJECT

public:
    explicit GuideDocument(const QString& key = {}, QWidget* parent = nullptr);
    QString kind() const override { return QStringLiteral("guide"); }
    QString title() const override { return QStringLiteral("Guide"); }
    QString iconName() const override { return QStringLiteral("guide"); }
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

    /// Shows a page at a heading or the entry of a field; at its beginning where it has no such place.
    void go(const GuidePlace& place);
    const GuidePlace& place() const { return place_; }
    /// The heading or entry that stands at the top; empty where that is the page's beginning.
    QString marked() const { return marked_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class Browser;
    void turnTo(const GuidePlace& place);
    void render();
    void layOut();
    void keepMargins();
    void style();
    void showPlaceInText();
    void follow(const QString& link);
    void turn(int step);
    void updateButtons();

    QListWidget* contents_;
    Browser* browser_;
    QToolButton* back_;
    QToolButton* forward_;
    QTimer* relayout_;
    GuidePlace place_;
    QVector<GuidePlace> visited_;
    int at_ = -1;
    QString marked_;
};

}  // namespace tessera::ui
