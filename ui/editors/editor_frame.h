#pragma once

#include <QVector>
#include <QWidget>
#include <functional>

#include "ui/editors/problem.h"

class QBoxLayout;
class QFrame;
class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QToolButton;
class QVBoxLayout;

namespace tessera::ui {

class EditorCore;

/// Frame of an editor: title line with buttons, a notice when there is something to decide, the fields on the left, a
/// picture on the right, and all problems at the foot.
class EditorFrame : public QWidget {
    Q_OBJECT

public:
    EditorFrame(const QString& icon, QWidget* parent = nullptr);

    void setIcon(const QString& icon);
    void setTitle(const QString& title, const QString& caption);
    /// The buttons at the right of the title.
    QHBoxLayout* buttons() const { return buttons_; }
    /// Layout for forms and tables, below each other.
    QVBoxLayout* fields() const { return fields_; }
    /// More of them, which follow below, or stand beside them in a wide window without a picture.
    QVBoxLayout* furtherFields() const { return furtherFields_; }
    /// The right half; hidden while it is empty.
    QVBoxLayout* picture() const { return picture_; }
    /// The fields' width where the picture stands beside them; in a narrow window it goes under them.
    void setSideWidth(int pixels);
    /// Lays out the fields in columns of at most this width, for editors without a picture.
    void setColumns(int pixels);
    /// The line below everything: what the set-up means, and what to do with it.
    QHBoxLayout* actionBar();
    QScrollArea* scroll() const { return scroll_; }
    QSplitter* splitter() const { return splitter_; }

    struct Choice {
        QString title;
        std::function<void()> run;
    };
    void setNotice(const QString& sentence, const QVector<Choice>& choices);
    void clearNotice();
    /// A sentence instead of the editor: the file cannot be opened.
    void setRefusal(const QString& sentence);
    /// `name` words a field for people.
    void setProblems(const Problems& problems, const std::function<QString(const std::string& field)>& name);
    /// Offers the edits of an earlier session where there are some.
    void offerRecovery(EditorCore& core);

    static QLabel* sectionTitle(const QString& text, QWidget* parent);

signals:
    void problemChosen(const QString& field);
    void removalChosen(const QString& field);  ///< of a field that is unknown

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void arrangeColumns();
    void fitTitle();
    void fitProblem(QToolButton& button) const;

    QLabel *icon_, *title_, *caption_, *noticeText_, *refusal_;
    QHBoxLayout* buttons_;
    QFrame *notice_, *foot_;
    QHBoxLayout* noticeChoices_;
    QBoxLayout* columns_;
    QVBoxLayout *fields_, *furtherFields_, *picture_, *problems_;
    QHBoxLayout* actionBar_ = nullptr;
    QScrollArea* scroll_;
    QSplitter* splitter_;
    QString wholeTitle_;
    QVector<QToolButton*> problemButtons_;
    int sideWidth_ = 0;
    int columnWidth_ = 0;
};

}  // namespace tessera::ui
