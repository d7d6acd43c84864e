#pragma once

#include <QFrame>
#include <QString>
#include <functional>

class QLabel;
class QTimer;
class QToolButton;

namespace tessera::ui {

/// What was just done, over the lower edge of a widget, with a way to take it back. It goes by itself after a while,
/// but not under the pointer or the keyboard.
class Toast : public QFrame {
    Q_OBJECT

public:
    static constexpr int kSeconds = 8;

    /// Floats over `page`, `above` pixels from its lower edge.
    explicit Toast(QWidget& page, int above = 0);

    /// Shows a sentence in place of the one before; `undo` takes back what it says.
    void tell(const QString& sentence, std::function<void()> undo);
    /// Hides it, forgetting what it was about.
    void dismiss();
    QString sentence() const;
    QToolButton* undoButton() const { return undo_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void rest();

    QWidget* page_;
    int above_;
    QLabel* text_;
    QToolButton *undo_, *close_;
    QTimer* timer_;
    std::function<void()> act_;
};

}  // namespace tessera::ui
