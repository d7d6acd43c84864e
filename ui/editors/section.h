#pragma once

#include <QWidget>

class QVBoxLayout;

namespace tessera::ui {

/// A titled part of a form that can be folded away.
class Section : public QWidget {
    Q_OBJECT

public:
    Section(const QString& title, bool open, QWidget* parent = nullptr);
    QVBoxLayout* content() const { return content_; }
    bool isOpen() const;
    void setOpen(bool open);

private:
    class Head;
    Head* head_;
    QWidget* body_;
    QVBoxLayout* content_;
};

}  // namespace tessera::ui
