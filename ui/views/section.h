#pragma once

#include <QWidget>

class QToolButton;

namespace tessera::ui {

/// A titled part of a page that can be folded away.
class Section : public QWidget {
    Q_OBJECT

public:
    Section(const QString& title, QWidget* content, QWidget* parent = nullptr);
    bool isOpen() const;
    void setOpen(bool open);

signals:
    void toggled(bool open);

private:
    QToolButton* title_;
    QWidget* content_;
};

}  // namespace tessera::ui
