#pragma once

#include <QJsonObject>
#include <QString>
#include <QTimer>
#include <QVector>
#include <QWidget>

#include "ui/views/exportable.h"
#include "ui/views/workbench/point_selection.h"

class QComboBox;
class QVBoxLayout;

namespace tessera::ui {

class FlowLayout;

/// A picture that points can be looked at in.
struct PictureChoice {
    QString id, title, help;
    bool operator==(const PictureChoice&) const = default;
};

/// A picture of the points of a selection, below a line of its own controls. It is drawn while it is active; of very
/// many points only once per turn of the event loop, whatever happened meanwhile.
class PointPane : public QWidget {
    Q_OBJECT

public:
    PointPane(PointSelection& selection, QWidget* parent);

    /// The pictures that may stand in its place, of which it is `own`: the first control of its line.
    void setPictures(const QVector<PictureChoice>& offered, const QString& own);
    QComboBox* pictureBox() const { return pictures_; }

    /// What is not looked at is not drawn.
    void setActive(bool on);
    bool isActive() const { return active_; }

    virtual QVector<Exportable> exportables() const = 0;
    /// How it is looked at, and that again; unknown values are ignored.
    virtual QJsonObject saveState() const { return {}; }
    virtual void restoreState(const QJsonObject& /*state*/) {}
    /// False where the points have nothing that it shows.
    virtual bool applies() const { return true; }

signals:
    void pictureWanted(const QString& picture);  ///< another one is to stand in its place

protected:
    PointSelection& selection() const { return selection_; }
    const explore::PointTable& points() const { return selection_.table(); }
    FlowLayout& bar() const { return *bar_; }
    /// Adds a control with its name before it.
    void addControl(const QString& name, QWidget* control);
    void setPicture(QWidget* picture);

    /// Other points, or other columns.
    virtual void fill() = 0;
    /// Draws what there is.
    virtual void draw() = 0;
    /// Another point is chosen, pinned or under the mouse.
    virtual void mark() = 0;
    void outdate();  ///< it is to be drawn again

private:
    void drawNow();

    PointSelection& selection_;
    QVBoxLayout* column_;
    FlowLayout* bar_;
    QComboBox* pictures_;
    QString own_;  ///< its id among them
    QTimer later_;
    bool active_ = false, stale_ = true, unfilled_ = true;
};

}  // namespace tessera::ui
